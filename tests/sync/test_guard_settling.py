"""The delete guard waits until it knows all of a change."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from quartet.kernel.errors import AppError
from quartet.sync.hub.types import NoHub
from quartet.sync.hubfiles.guard import settling
from quartet.sync.hubfiles.guard.settling import Settling
from quartet.sync.hubfiles.guard.windows import ChangeWindow

pytestmark = pytest.mark.anyio

MANY = {"laptop": 200}


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


class Devices(NoHub):
    """A hub and the devices that scan for it."""

    def __init__(self) -> None:
        self.known = 0
        self.asked = 0
        self.answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def scan(self, _folder: str, _path: str = "") -> None:
        raise AssertionError

    async def ask(self, _folder: str, _device: str) -> int:
        self.asked += 1
        return await asyncio.shield(self.answer)

    async def received(self, _folder: str, _device: str) -> int:
        return self.known


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(settling, "time", made)
    return made


async def complete(now: Settling, counts: dict[str, int], *, few: bool = False) -> bool:
    """Look twice, since the guard does not trust a count that is older than the last part."""
    await now.is_complete("photos", counts, few=few)
    await asyncio.sleep(0)
    await now.is_complete("photos", counts, few=few)
    return await now.is_complete("photos", counts, few=few)


async def test_change_is_complete_when_result_of_scan_has_arrived(clock: Clock) -> None:
    devices = Devices()
    now = Settling(devices, devices.ask)
    clock.now += 100
    # No length of time replaces the scan.
    assert not await complete(now, MANY)
    devices.answer.set_result(700)
    await asyncio.sleep(0)
    devices.known = 699
    assert not await complete(now, MANY)
    devices.known = 700
    assert await complete(now, MANY)
    assert devices.asked == 1


async def test_growing_change_is_scanned_again(clock: Clock) -> None:
    devices = Devices()
    now = Settling(devices, devices.ask)
    devices.answer.set_result(700)
    devices.known = 700
    assert await complete(now, MANY)
    devices.answer = asyncio.get_running_loop().create_future()
    assert not await complete(now, {"laptop": 201})
    assert devices.asked == 2
    # Other devices do not wait forever.
    clock.now += settling.MOST_SECONDS
    assert await now.is_complete("photos", {"laptop": 202}, few=False)
    now.forget("photos")
    assert now.seconds("photos") == 0


@pytest.mark.parametrize(("answer", "wait"), [(0, 15.0), (700, 5.0)])
async def test_device_that_cannot_be_checked_gets_time(
    clock: Clock, answer: int, wait: float
) -> None:
    """It has no agent, or is connected to another hub."""
    devices = Devices()
    now = Settling(devices, devices.ask)
    devices.answer.set_result(answer)
    assert not await complete(now, MANY)
    clock.now += wait - 0.1
    assert not await complete(now, MANY)
    clock.now += 0.1
    assert await complete(now, MANY)


async def test_few_files_need_no_scan(clock: Clock) -> None:
    devices = Devices()
    now = Settling(devices, devices.ask)
    assert not await complete(now, {"laptop": 1}, few=True)
    clock.now += settling.FEW_SECONDS + 0.1
    assert await complete(now, {"laptop": 1}, few=True)
    assert devices.asked == 0


async def test_server_that_cannot_ask_counts_as_silence(clock: Clock) -> None:
    async def fail(_folder: str, _device: str) -> int:
        raise AppError(503, "server_silent")

    ask: Callable[[str, str], Awaitable[int]] = fail
    now = Settling(NoHub(), ask)
    assert not await complete(now, MANY)
    clock.now += settling.SILENT_SECONDS
    assert await complete(now, MANY)


def test_window_counts_files_of_the_last_seconds() -> None:
    window = ChangeWindow()
    for number in range(20):
        window.add(float(number), str(number), "replaced" if number % 2 else "added")
    assert window.lost_since(10.0, 100) == 5
    assert window.lost_since(0.0, 3) == 3
