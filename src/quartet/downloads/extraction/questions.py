"""Asks the user for archive passwords while other archives are extracted."""

import asyncio
import logging
from collections.abc import Callable
from typing import NamedTuple

from quartet.downloads.captchas.service import Captchas
from quartet.downloads.captchas.types import Question
from quartet.downloads.events import Changed
from quartet.downloads.extraction import store
from quartet.downloads.options.store import options
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.log import problem_text

log = logging.getLogger("quartet.downloads.extraction")

MAX_QUESTIONS = 3
# How often to check whether the archive is still wanted.
WANTED_SECONDS = 1.0


class OpenQuestion(NamedTuple):
    path: str
    # None if the user chose the archive itself.
    package_id: int | None
    name: str
    wrong: bool
    problem: Problem


class PasswordQuestions:
    """`wake` is called when an archive can be tried again or was given up."""

    def __init__(self, db: Database, captchas: Captchas, wake: Callable[[], None]) -> None:
        self._db = db
        self._captchas = captchas
        self._wake = wake
        self._open: dict[str, OpenQuestion] = {}
        self._new: asyncio.Queue[OpenQuestion] = asyncio.Queue()
        # How many times the user was asked for each archive, until it is settled.
        self._times: dict[str, int] = {}
        self._answers: dict[str, str] = {}

    @property
    def paths(self) -> set[str]:
        return set(self._open)

    @property
    def packages(self) -> set[int]:
        return {one.package_id for one in self._open.values() if one.package_id is not None}

    def answer(self, path: str) -> list[str]:
        """Return the password entered for this archive; it is tried once."""
        typed = self._answers.pop(path, None)
        return [] if typed is None else [typed]

    def settled(self, path: str) -> None:
        self._times.pop(path, None)

    async def ask(self, path: str, name: str, problem: Problem) -> bool:
        """Ask for the password; return False if asking is disabled or was done too often."""
        times = self._times.get(path, 0)

        def work(tx: Tx) -> OpenQuestion | None:
            if not options(tx.conn).ask_archive_password or times >= MAX_QUESTIONS:
                return None
            package_id = store.requeue(tx.conn, path)
            if package_id is not None:
                tx.emit(Changed("downloads", packages=[package_id]))
            return OpenQuestion(path, package_id, name, times > 0, problem)

        question = await self._db.write(work)
        if question is None:
            return False
        self._times[path] = times + 1
        self._open[path] = question
        self._new.put_nowait(question)
        return True

    async def run(self) -> None:
        async with asyncio.TaskGroup() as asking:
            while True:
                asking.create_task(self._ask_user(await self._new.get()))

    async def _ask_user(self, question: OpenQuestion) -> None:
        asked = asyncio.create_task(self._captchas.ask(_question(question)))
        watching = asyncio.create_task(self._wait_until_unwanted(question))
        try:
            await asyncio.wait((asked, watching), return_when=asyncio.FIRST_COMPLETED)
            if asked.done():
                self._answers[question.path] = asked.result()
        except AppError:
            self.settled(question.path)
            await self._give_up(question)
        finally:
            asked.cancel()
            watching.cancel()
            del self._open[question.path]
            self._wake()

    async def _give_up(self, question: OpenQuestion) -> None:
        path, package_id, *_, problem = question

        def work(tx: Tx) -> None:
            store.fail(tx.conn, path, package_id, problem)
            tx.emit(Changed("downloads"))
            tx.emit(Changed("files"))

        await self._db.write(work)
        log.info("extraction of %s failed: %s", path, problem_text(problem))

    async def _wait_until_unwanted(self, question: OpenQuestion) -> None:
        path, package_id, *_ = question
        awaited = store.is_awaited
        while await self._db.read(awaited, path, package_id):  # noqa: ASYNC110 - only the database knows
            await asyncio.sleep(WANTED_SECONDS)
        self.settled(path)


def _question(question: OpenQuestion) -> Question:
    return Question(
        kind="archivePassword",
        name=question.name,
        wrong=question.wrong,
        package_id=question.package_id,
    )
