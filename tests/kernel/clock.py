"""A clock for loops that only a test moves, and loops to keep by it."""

import asyncio

from quartet.kernel.supervisor import LoopState, Supervisor


class Time:
    """A clock that moves only when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: asyncio.Queue[float] = asyncio.Queue()
        self._go = asyncio.Semaphore(0)

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.pauses.put_nowait(seconds)
        await self._go.acquire()
        self.now += seconds

    async def pass_pause(self) -> float:
        """Waits until a loop pauses, lets the pause pass and tells how long it was."""
        seconds = await self.begin_pause()
        self._go.release()
        return seconds

    async def begin_pause(self) -> float:
        return await asyncio.wait_for(self.pauses.get(), 5)


def only(supervisor: Supervisor) -> LoopState:
    [state] = supervisor.states()
    return state


async def forever() -> None:
    await asyncio.Event().wait()


async def settle() -> None:
    """Lets everything run that can run."""
    for _ in range(20):
        await asyncio.sleep(0)
