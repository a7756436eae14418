import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence

from quartet.kernel.conditions.types import Condition, Finding
from quartet.kernel.log import problem_text

log = logging.getLogger("quartet.health")

Check = Callable[[], Awaitable[Iterable[Finding]]]
# Receives the conditions that began and those that ended.
Notify = Callable[[Sequence[Condition], Sequence[Condition]], Awaitable[None]]
Key = tuple[str, str]


class Conditions:
    """The current problems. Each is logged and sent once when it begins, and once when it ends."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self.checks: list[Check] = []
        self.notify: Notify | None = None
        self.current: list[Condition] = []
        # Found for the first time. Problems that are gone at the next check are not reported.
        self._new: set[Key] = set()

    async def check(self) -> None:
        found = {_key(each): each for check in self.checks for each in await check()}
        before = {_key(each): each for each in self.current}
        began = [
            Condition(each.kind, each.name, each.problem, int(self._clock()))
            for key, each in found.items()
            if key in self._new and key not in before
        ]
        ended = [each for key, each in before.items() if key not in found]
        lasting = [each for key, each in before.items() if key in found]
        self._new = found.keys() - before.keys()
        self.current = [*lasting, *began]
        await self._report(began, ended)

    async def _report(self, began: list[Condition], ended: list[Condition]) -> None:
        for each in began:
            log.warning("problem with %s %s: %s", each.kind, each.name, problem_text(each.problem))
        for each in ended:
            log.info("problem with %s %s solved", each.kind, each.name)
        if self.notify is not None and (began or ended):
            await self.notify(began, ended)


def _key(each: Finding | Condition) -> Key:
    return each.kind, each.name
