"""A manual clock and a supervisor that uses it."""

import asyncio

from quartet.kernel.supervisor import LoopState, Supervisor


class Time:
    """A clock that only moves when a test advances it."""

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
        """Wait until a task pauses, end the pause and return its length."""
        seconds = await self.begin_pause()
        self._go.release()
        return seconds

    async def begin_pause(self) -> float:
        return await asyncio.wait_for(self.pauses.get(), 60)


def only(supervisor: Supervisor) -> LoopState:
    [state] = supervisor.states()
    return state


async def forever() -> None:
    await asyncio.Event().wait()


async def settle() -> None:
    """Run everything that is ready to run."""
    for _ in range(20):
        await asyncio.sleep(0)
