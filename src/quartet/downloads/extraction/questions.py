"""Asks for the password of an archive; meanwhile other archives are unpacked."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from quartet.downloads.captchas.service import Captchas
from quartet.downloads.captchas.types import Question
from quartet.downloads.events import Changed
from quartet.downloads.extraction import store_questions
from quartet.downloads.options.store import options
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem

MOST_QUESTIONS = 3
# Whether somebody still wants the archive is asked this often.
WANTED_SECONDS = 1.0


class Open(NamedTuple):
    path: str
    # None when a person picked the archive itself.
    package_id: int | None
    name: str
    wrong: bool
    problem: Problem


class PasswordQuestions:
    """`wake` is called when an archive may be tried again or has been given up."""

    def __init__(self, db: Database, captchas: Captchas, wake: Callable[[], None]) -> None:
        self._db = db
        self._captchas = captchas
        self._wake = wake
        self._open: dict[str, Open] = {}
        self._new: asyncio.Queue[Open] = asyncio.Queue()
        # How often each archive was asked for, until it is settled.
        self._times: dict[str, int] = {}
        self._answers: dict[str, str] = {}

    @property
    def paths(self) -> set[str]:
        return set(self._open)

    @property
    def packages(self) -> set[int]:
        return {one.package_id for one in self._open.values() if one.package_id is not None}

    def answer(self, path: str) -> list[str]:
        """What was typed for this archive, to be tried once."""
        typed = self._answers.pop(path, None)
        return [] if typed is None else [typed]

    def settled(self, path: str) -> None:
        self._times.pop(path, None)

    async def ask(self, path: str, name: str, problem: Problem) -> bool:
        """False when nobody shall be asked, or not once more."""
        times = self._times.get(path, 0)

        def work(tx: Tx) -> Open | None:
            if not options(tx.conn).ask_archive_password or times >= MOST_QUESTIONS:
                return None
            package_id = store_questions.postpone(tx.conn, path)
            tx.emit(Changed("downloads"))
            return Open(path, package_id, name, times > 0, problem)

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
                asking.create_task(self._put(await self._new.get()))

    async def _put(self, question: Open) -> None:
        asked = asyncio.create_task(self._captchas.ask(_question(question)))
        watching = asyncio.create_task(self._unwanted(question))
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

    async def _give_up(self, question: Open) -> None:
        path, package_id, *_, problem = question

        def work(tx: Tx) -> None:
            store_questions.give_up(tx.conn, path, package_id, problem)
            tx.emit(Changed("downloads"))
            tx.emit(Changed("files"))

        await self._db.write(work)

    async def _unwanted(self, question: Open) -> None:
        path, package_id, *_ = question
        awaited = store_questions.is_awaited
        while await self._db.read(awaited, path, package_id):  # noqa: ASYNC110 - only the list knows
            await asyncio.sleep(WANTED_SECONDS)
        self.settled(path)


def _question(question: Open) -> Question:
    return Question(kind="archivePassword", name=question.name, wrong=question.wrong)
