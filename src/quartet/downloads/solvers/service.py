import asyncio
import logging
import time
from collections import OrderedDict
from typing import Any
from urllib.parse import urlsplit

import msgspec

from quartet.downloads.captchas.types import Question
from quartet.downloads.events import Changed
from quartet.downloads.input_cleanup import clean_text
from quartet.downloads.packages.service import require_found, valid_id
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.solvers import store
from quartet.downloads.solvers.client import client_for
from quartet.downloads.solvers.types import (
    MICRO,
    NewSolver,
    Solved,
    Solver,
    SolverChange,
    StoredSolver,
)
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.downloads.captchas")

MOST_SOLVERS = 20
POLL_SECONDS = 5.0
# A service that needs longer is not asked any more.
SOLVE_SECONDS = 240.0
# Limits the cost of a hoster that accepts no answer.
MOST_PER_LINK = 3
FORGET_SECONDS = 3600.0
_MOST_LINKS = 1000


class Solvers:
    """Captcha services of the user, which are asked in their order. There are none by default."""

    def __init__(self, kernel: Kernel[DownloadsSettings]) -> None:
        self._kernel = kernel
        self._db = kernel.db
        # The times at which the captcha of a link was sent to services.
        self._asked: OrderedDict[str, list[float]] = OrderedDict()
        # The service that gave the last answer for a link, and its number of the captcha.
        self._answered: OrderedDict[str, tuple[StoredSolver, str]] = OrderedDict()

    async def all(self) -> list[Solver]:
        return await self._db.read(store.all_solvers)

    async def add(self, given: NewSolver) -> None:
        address = _address(given.address)
        name = clean_text(given.name) or urlsplit(address).hostname or address
        values = msgspec.structs.asdict(given) | {"address": address, "name": name}

        def work(tx: Tx) -> int:
            if store.count(tx.conn) >= MOST_SOLVERS:
                raise AppError(409, "too_many_captcha_services", limit=MOST_SOLVERS)
            tx.emit(Changed("solvers"))
            return store.add(tx.conn, values)

        id = await self._db.write(work)
        log.info("captcha service %s added", name)
        await self.check(id)

    async def change(self, id: int, given: SolverChange) -> None:
        values = {k: v for k, v in msgspec.structs.asdict(given).items() if v is not None}
        if "address" in values:
            values["address"] = _address(values["address"])
        if "name" in values:
            values["name"] = clean_text(values["name"])
        if values:
            await self._change(id, values)
        await self.check(id)

    async def remove(self, id: int) -> None:
        def work(tx: Tx) -> None:
            require_found(store.remove(tx.conn, valid_id(id)), id=id)
            tx.emit(Changed("solvers"))

        await self._db.write(work)

    async def check(self, id: int) -> None:
        """Ask the service for the balance, which also shows whether the key is right."""
        solver = await self._db.read(store.get, valid_id(id))
        if solver is None:
            raise AppError(404, "not_found", path=str(id))
        values: dict[str, Any] = {"error": None}
        try:
            values["balance"] = await client_for(self._kernel.outbound, solver).balance()
        except AppError as error:
            values["error"] = problem_of(error)
        await self._change(id, values)

    async def _change(self, id: int, values: dict[str, Any]) -> None:
        def work(tx: Tx) -> None:
            require_found(store.change(tx.conn, valid_id(id), values), id=id)
            tx.emit(Changed("solvers"))

        await self._db.write(work)

    async def solve(self, question: Question) -> str | None:
        """Return the answer of the first service that solves it, or None."""
        # First, because the user may answer while the database is read.
        self._answered.pop(_link_of(question), None)
        solvers = await self._db.read(store.usable)
        if not solvers or not self._may_ask(question):
            return None
        for solver in solvers:
            try:
                task, solved = await self._ask(solver, question)
            except AppError as error:
                await self._failed(solver, problem_of(error))
            else:
                await self._record(solver, question, solved)
                self._answered[_link_of(question)] = solver, task
                if len(self._answered) > _MOST_LINKS:
                    self._answered.popitem(last=False)
                return solved.answer
        return None

    async def report_wrong(self, link: str) -> None:
        """Tell the service that answered the captcha of a link that the hoster refused it."""
        solver, task = self._answered.pop(link, (None, ""))
        if solver is None:
            return
        try:
            await client_for(self._kernel.outbound, solver).report_wrong(task)
        except AppError as error:
            log.warning("captcha service %s accepts no report: %s", solver.name, error.code)
        else:
            log.info("answer of %s was refused, and reported to it", solver.name)

    async def _ask(self, solver: StoredSolver, question: Question) -> tuple[str, Solved]:
        client = client_for(self._kernel.outbound, solver)
        try:
            async with asyncio.timeout(SOLVE_SECONDS):
                task = await client.submit(question)
                while True:
                    await asyncio.sleep(POLL_SECONDS)
                    if solved := await client.result(task):
                        return task, solved
        except TimeoutError:
            raise AppError(504, "timed_out", address=solver.name) from None

    async def _record(self, solver: StoredSolver, question: Question, solved: Solved) -> None:
        def work(tx: Tx) -> None:
            store.add_solved(tx.conn, solver.id, solved.cost)
            tx.emit(Changed("solvers"))

        await self._db.write(work)
        host = urlsplit(question.page_url or question.link or "").hostname
        cost = solved.cost / MICRO
        log.info("captcha of %s solved by %s for %.5f", host, solver.name, cost)

    async def _failed(self, solver: StoredSolver, problem: Problem) -> None:
        log.warning("captcha service %s failed: %s", solver.name, problem.code)

        def work(tx: Tx) -> None:
            store.change(tx.conn, solver.id, {"error": problem})
            tx.emit(Changed("solvers"))

        await self._db.write(work)

    def _may_ask(self, question: Question) -> bool:
        link, now = _link_of(question), time.monotonic()
        recent = [at for at in self._asked.pop(link, []) if now - at < FORGET_SECONDS]
        allowed = len(recent) < MOST_PER_LINK
        self._asked[link] = [*recent, now] if allowed else recent
        if len(self._asked) > _MOST_LINKS:
            self._asked.popitem(last=False)
        if not allowed:
            log.warning("the captcha of a link is left to the user after %d tries", len(recent))
        return allowed


def _link_of(question: Question) -> str:
    return question.link or question.page_url or ""


def _address(text: str) -> str:
    text = clean_text(text).rstrip("/")
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
        raise AppError(400, "bad_address")
    return text
