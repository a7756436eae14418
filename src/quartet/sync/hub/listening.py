"""Notices that devices cannot reach the engine of a hub, because it cannot listen."""

import asyncio
from collections.abc import Callable

from quartet.kernel.errors import AppError, Problem
from quartet.sync.engine import Engine

FIRST_SECONDS = 1.0
CHECK_SECONDS = 10.0
REASON_CHARS = 300


class ListenWatch:
    """The engine itself keeps trying, and is otherwise healthy."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        self.problem: Problem | None = None
        self._on_change = on_change

    async def run(self, engine: Engine) -> None:
        delay = FIRST_SECONDS
        try:
            while True:
                await asyncio.sleep(delay)
                await self._check(engine)
                delay = CHECK_SECONDS
        finally:
            self.problem = None

    async def _check(self, engine: Engine) -> None:
        try:
            listeners = (await engine.rest.status()).listeners
        except AppError:
            # The hub notices if its engine stops.
            return
        found = [(address, each.error) for address, each in listeners.items() if each.error]
        problem = _problem(*found[0]) if found else None
        if problem != self.problem:
            self.problem = problem
            self._on_change()


def _problem(address: str, reason: str) -> Problem:
    place = address.removeprefix("tcp://")
    if "address already in use" in reason:
        return Problem("hub_port_taken", {"address": place})
    return Problem("hub_not_listening", {"address": place, "reason": reason[:REASON_CHARS]})
