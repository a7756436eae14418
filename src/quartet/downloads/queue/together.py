import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Together(Generic[T, R]):
    """What comes while one batch is being worked on goes into the next.

    A transaction or a change of thread costs more than a small file: twenty that end at once shall
    pay once. `work` answers each thing it is given, in order; an exception is raised to its caller.
    `seconds` lie between the beginnings of two batches while `more` are to come: the first waits
    for nothing, but who comes right after it waits for others.
    """

    def __init__(
        self,
        work: Callable[[list[T]], Awaitable[Sequence[R | Exception]]],
        seconds: float = 0.0,
        more: Callable[[], bool] = lambda: True,
    ) -> None:
        self._work = work
        self._seconds = seconds
        self._more = more
        self._not_before = 0.0
        self._waiting: list[tuple[T, asyncio.Future[R]]] = []
        self._working: asyncio.Task[None] | None = None

    async def do(self, thing: T) -> R:
        """Is done also if the caller is cancelled meanwhile."""
        done: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((thing, done))
        if self._working is None:
            self._working = asyncio.create_task(self._all(), name="together")
        return await done

    async def settle(self) -> None:
        """Returns when everything is done."""
        while self._working:
            await asyncio.wait([self._working])

    async def _all(self) -> None:
        try:
            while self._waiting:
                await self._pause()
                batch, self._waiting = self._waiting, []
                await self._some(batch)
        finally:
            self._working = None

    async def _pause(self) -> None:
        if self._seconds:
            clock = asyncio.get_running_loop().time
            if (wait := self._not_before - clock()) > 0 and self._more():
                await asyncio.sleep(wait)
            self._not_before = clock() + self._seconds

    async def _some(self, batch: list[tuple[T, asyncio.Future[R]]]) -> None:
        results: Sequence[R | Exception]
        try:
            results = await self._work([thing for thing, _ in batch])
        except Exception as error:  # noqa: BLE001 - it belongs to those who wait
            results = [error] * len(batch)
        for (_, done), result in zip(batch, results, strict=True):
            if done.done():
                continue
            if isinstance(result, Exception):
                done.set_exception(result)
            else:
                done.set_result(result)
