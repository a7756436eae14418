"""The overview shows the current state of each device, although most are encoded only once."""

import asyncio
from typing import Any

import msgspec
import pytest

from quartet.sync.config.types.devices import Device
from quartet.sync.config.types.revisions import Config
from quartet.sync.live import encoded_devices
from quartet.sync.live.encoded_devices import EncodedDevices
from tests.sync.test_states import device

pytestmark = pytest.mark.anyio


class Shown:
    """Stands in for the view of a device, and counts how many times each was built."""

    def __init__(self, *devices: Device) -> None:
        self.words: dict[int, str] = {}
        self.built: list[int] = []
        self.encoded = EncodedDevices(self.show)
        self.reset(*devices)

    def show(self, of: Device) -> Any:
        self.built.append(of.id)
        return {"id": of.id, "name": of.name, "word": self.words.get(of.id, "")}

    def reset(self, *devices: Device) -> None:
        self.encoded.reset(Config(1, {each.id: each for each in devices}))

    def say(self, device_id: int, word: str) -> None:
        self.words[device_id] = word
        self.encoded.touch(device_id)

    async def words_shown(self) -> list[tuple[int, str]]:
        self.built.clear()
        found = msgspec.json.decode(await self.encoded.json())
        return [(each["id"], each["word"]) for each in found]


async def test_only_touched_devices_are_encoded_again() -> None:
    shown = Shown(device(1), device(2), device(3))
    assert await shown.words_shown() == [(1, ""), (2, ""), (3, "")]
    shown.say(2, "online")
    assert await shown.words_shown() == [(1, ""), (2, "online"), (3, "")]
    assert shown.built == [2]


async def test_devices_that_a_revision_does_not_change_stay_encoded() -> None:
    shown = Shown(device(1), device(2), device(3))
    await shown.words_shown()
    shown.say(3, "touched before")
    shown.reset(device(1), msgspec.structs.replace(device(2), name="renamed"), device(3), device(4))
    assert await shown.words_shown() == [(1, ""), (2, ""), (3, "touched before"), (4, "")]
    assert sorted(shown.built) == [2, 3, 4]


async def test_device_that_changes_by_itself_is_always_current() -> None:
    shown = Shown(device(1), msgspec.structs.replace(device(2), agentless=True))
    await shown.words_shown()
    shown.words[2] = "connected"
    assert await shown.words_shown() == [(1, ""), (2, "connected")]


async def test_new_revision_while_devices_are_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoded_devices, "YIELD_EVERY", 1)
    shown = Shown(device(1), device(2), device(3))
    asking = asyncio.create_task(shown.words_shown())
    await asyncio.sleep(0)
    # The first device is encoded already; the third one and a device that never was are touched.
    shown.reset(device(2), device(4))
    shown.say(4, "new")
    shown.say(3, "removed")
    assert await asking == [(2, ""), (4, "new")]
    assert await shown.words_shown() == [(2, ""), (4, "new")]
    assert shown.built == []


async def test_no_devices() -> None:
    assert await EncodedDevices(Shown(device(1)).show).json() == b"[]"
