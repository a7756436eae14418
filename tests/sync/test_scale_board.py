"""What control servers say to each other, here in one process."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from quartet.kernel.errors import AppError
from quartet.kernel.events import EventHub, Resync, backend_from_url
from quartet.sync.cluster import state as boards
from quartet.sync.cluster.bus import Bus
from quartet.sync.cluster.requests import Requests
from quartet.sync.cluster.state import Board
from tests.sync.desk import until

pytestmark = pytest.mark.anyio


class Side:
    """One server."""

    def __init__(self, events: EventHub) -> None:
        self.bus = Bus(events)
        self.board = Board(self.bus, alone=False)
        self.requests = Requests(self.bus)
        self.requests.serve(self.double)
        self.seen: dict[str, Any] = {}
        self.board.watch("thing", self._see)

    def _see(self, _server: str, name: str, row: bytes | None) -> None:
        self.seen.pop(name, None)
        if row is not None:
            self.seen[name] = row.decode()

    async def double(self, number: int, words: list[str]) -> list[str]:
        if number < 0:
            raise AppError(422, "too_small", number=number)
        return words * number

    async def sees(self, expected: dict[str, str]) -> None:
        async def same() -> bool:
            return self.seen == expected

        await until(same)


@pytest.fixture
async def events() -> AsyncIterator[EventHub]:
    hub = EventHub(backend_from_url(None, "test"))
    await hub.start()
    yield hub
    await hub.stop()


async def test_rows_come_change_and_go(events: EventHub) -> None:
    left, right = Side(events), Side(events)
    left.board.put("thing", "a", 1)
    left.board.put("thing", "b", {"x": "y"})
    left.board.put("other", "c", 1)
    left.board.tell()
    await right.sees({"a": "1", "b": '{"x":"y"}'})
    left.board.put("thing", "a", 2)
    left.board.put("thing", "b", None)
    left.board.tell()
    await right.sees({"a": "2"})
    assert left.seen == {}
    left.board.leave()
    await right.sees({})


async def test_who_comes_late_is_told_all(events: EventHub) -> None:
    left = Side(events)
    rows = {str(number): f'"{number:0500}"' for number in range(500)}
    for name, row in rows.items():
        left.board.put("thing", name, row.strip('"'))
    left.board.tell()
    right = Side(events)
    right.board.greet()
    await right.sees(rows)


async def test_what_was_lost_is_told_again(events: EventHub) -> None:
    left, right = Side(events), Side(events)
    left.board.put("thing", "a", 1)
    left.board.tell()
    await right.sees({"a": "1"})
    right.seen = {"b": "never told to be gone"}
    events.publish(Resync())
    await until_told(right)
    assert right.seen["a"] == "1"


async def until_told(side: Side) -> None:
    async def told() -> bool:
        return "a" in side.seen

    await until(told)


async def test_a_silent_server_is_gone(events: EventHub, monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = Side(events), Side(events)
    left.board.put("thing", "a", 1)
    left.board.tell()
    await right.sees({"a": "1"})
    right.board.miss()
    assert right.seen
    monkeypatch.setattr(boards, "SILENT_SECONDS", -1.0)
    right.board.miss()
    assert right.seen == {}


async def test_another_server_answers_or_refuses(events: EventHub) -> None:
    left, right = Side(events), Side(events)
    answer = await left.requests.ask(right.bus.id, left.double, 3000, ["ä\u2028", "b"])
    assert answer == ["ä\u2028", "b"] * 3000
    with pytest.raises(AppError) as refused:
        await left.requests.ask(right.bus.id, left.double, -1, [])
    assert (refused.value.status, refused.value.code) == (422, "too_small")
    assert refused.value.inputs == {"number": -1}
    assert await left.requests.ask(None, left.double, 1, ["here"]) == ["here"]
