"""State and calls between control servers, tested in one process."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from quartet.kernel.errors import AppError
from quartet.kernel.events import EventHub, Resync, backend_from_url
from quartet.sync.cluster import state as cluster_states
from quartet.sync.cluster.bus import Bus
from quartet.sync.cluster.requests import Requests
from quartet.sync.cluster.state import ClusterState
from tests.sync.running_app import until

pytestmark = pytest.mark.anyio


class Side:
    """One server."""

    def __init__(self, events: EventHub) -> None:
        self.bus = Bus(events)
        self.cluster_state = ClusterState(self.bus, single_server=False)
        self.requests = Requests(self.bus)
        self.requests.serve(self.double)
        self.seen: dict[str, Any] = {}
        self.cluster_state.watch("thing", self._see)

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


async def test_rows_are_added_changed_and_removed(events: EventHub) -> None:
    left, right = Side(events), Side(events)
    left.cluster_state.put("thing", "a", 1)
    left.cluster_state.put("thing", "b", {"x": "y"})
    left.cluster_state.put("other", "c", 1)
    left.cluster_state.publish()
    await right.sees({"a": "1", "b": '{"x":"y"}'})
    left.cluster_state.put("thing", "a", 2)
    left.cluster_state.put("thing", "b", None)
    left.cluster_state.publish()
    await right.sees({"a": "2"})
    assert left.seen == {}
    left.cluster_state.leave()
    await right.sees({})


async def test_new_server_receives_all_rows(events: EventHub) -> None:
    left = Side(events)
    rows = {str(number): f'"{number:0500}"' for number in range(500)}
    for name, row in rows.items():
        left.cluster_state.put("thing", name, row.strip('"'))
    left.cluster_state.publish()
    right = Side(events)
    right.cluster_state.synchronize()
    await right.sees(rows)


async def test_lost_messages_are_sent_again(events: EventHub) -> None:
    left, right = Side(events), Side(events)
    left.cluster_state.put("thing", "a", 1)
    left.cluster_state.publish()
    await right.sees({"a": "1"})
    right.seen = {"b": "never told to be gone"}
    events.publish(Resync())
    await until_row_arrives(right)
    assert right.seen["a"] == "1"


async def until_row_arrives(side: Side) -> None:
    async def told() -> bool:
        return "a" in side.seen

    await until(told)


async def test_silent_server_is_forgotten(
    events: EventHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = Side(events), Side(events)
    left.cluster_state.put("thing", "a", 1)
    left.cluster_state.publish()
    await right.sees({"a": "1"})
    right.cluster_state.forget_silent_servers()
    assert right.seen
    monkeypatch.setattr(cluster_states, "SILENT_SECONDS", -1.0)
    right.cluster_state.forget_silent_servers()
    assert right.seen == {}


async def test_other_server_returns_result_or_error(events: EventHub) -> None:
    left, right = Side(events), Side(events)
    answer = await left.requests.call(right.bus.id, left.double, 3000, ["ä\u2028", "b"])
    assert answer == ["ä\u2028", "b"] * 3000
    with pytest.raises(AppError) as refused:
        await left.requests.call(right.bus.id, left.double, -1, [])
    assert (refused.value.status, refused.value.code) == (422, "too_small")
    assert refused.value.inputs == {"number": -1}
    assert await left.requests.call(None, left.double, 1, ["here"]) == ["here"]
