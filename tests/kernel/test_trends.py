"""Figures over time: what charts receive, after a restart as well."""

import asyncio
from math import nan
from pathlib import Path

import pytest

from quartet.kernel.trends import Source, TrendRecorder, rate_of
from quartet.kernel.trends.service import MOST_SERIES
from quartet.services import NAMES, service
from tests.client import client_of
from tests.downloads.conftest import logged_in

pytestmark = pytest.mark.anyio

# Midnight, so that minutes and hours begin here.
START = 1_800_057_600


class Recording:
    """A recorder with a figure and a clock that the test sets."""

    def __init__(self, folder: Path) -> None:
        self.now = START
        self.speed: float | dict[str, float] = 0.0
        self.recorder = TrendRecorder(folder / "trends.bin", lambda: self.now)
        self.recorder.sources.append(Source("speed", lambda: self.speed))

    def record(self, *values: float) -> None:
        for value in values:
            self.speed = value
            self.recorder.sample()
            self.now += 1

    def values(self, span: str = "15m") -> list[float | None]:
        found = self.recorder.read(["speed"], span)  # type: ignore[arg-type]
        return found.trends[0].values


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    return Recording(tmp_path)


def test_trend_has_every_second_of_15_minutes(recording: Recording) -> None:
    recording.record(*range(1000))
    recording.now -= 1
    assert recording.values() == list(range(100, 1000))


def test_trend_has_no_value_while_nothing_was_recorded(recording: Recording) -> None:
    recording.record(1, 2)
    recording.now += 3
    recording.record(3)
    recording.now -= 1
    assert recording.values()[-7:] == [None, 1, 2, None, None, None, 3]
    recording.now += 2000
    recording.record(4)
    recording.now -= 1
    assert recording.values() == [None] * 899 + [4]


def test_minutes_and_hours_are_means(recording: Recording) -> None:
    for minute in range(61):
        recording.record(*[minute] * 60)
    recording.record(0)
    assert recording.values("24h")[-3:] == [58, 59, 60]
    assert recording.values("30d")[-1] == pytest.approx(29.5)


def test_trend_continues_after_a_time(recording: Recording) -> None:
    recording.record(1, 2, 3)
    recording.now -= 1
    found = recording.recorder.read(["speed"], "15m", after=START + 1)
    assert (found.until, found.trends[0].values) == (START + 2, [3])


def test_trends_survive_a_restart(recording: Recording, tmp_path: Path) -> None:
    recording.record(*[5] * 90)
    recording.recorder.save()
    again = Recording(tmp_path)
    again.recorder.load()
    again.now = recording.now + 40
    again.record(7)
    again.now -= 1
    assert again.values()[-42:] == [5, *[None] * 40, 7]
    assert again.values("24h")[-1] == 5


@pytest.mark.parametrize("content", [b"", b"not msgpack", b"\x82\xa7version\x01\xa6series\x91\x93"])
def test_damaged_file_is_ignored(recording: Recording, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "trends.bin").write_bytes(content)
    recording.recorder.load()
    recording.record(1)
    recording.now -= 1
    assert recording.values()[-1] == 1


def test_clock_set_back_starts_again(recording: Recording) -> None:
    recording.record(1, 2, 3)
    recording.now -= 1
    recording.recorder.sample()
    assert recording.values()[-3:] == [1, 2, 3]
    recording.now -= 1000
    recording.record(4)
    recording.now -= 1
    assert recording.values() == [None] * 899 + [4]


def test_labels_are_limited_and_begin_with_their_first_value(recording: Recording) -> None:
    recorder = recording.recorder
    recording.speed = {str(number): float(number) for number in range(MOST_SERIES)}
    recorder.sample()
    recording.now += 1
    recording.speed = {"new": 1.0}
    recorder.sample()
    labels = {each.label for each in recorder.read(["speed"], "15m").trends}
    # The first one was zero, so the second one makes room.
    assert len(labels) == MOST_SERIES
    assert labels == {"new", *(str(number) for number in range(1, MOST_SERIES))}


def test_file_has_a_limited_size(recording: Recording, tmp_path: Path) -> None:
    for number in range(MOST_SERIES + 10):
        recording.speed = {str(number): 1.0}
        recording.recorder.sample()
        recording.now += 1
    recording.recorder.save()
    assert (tmp_path / "trends.bin").stat().st_size < MOST_SERIES * 12_500


def test_rate_is_the_increase_per_second() -> None:
    count, now = 10.0, 0.0
    read = rate_of(lambda: count, lambda: now)
    count, now = 30.0, 2.0
    assert read() == 10
    count, now = 5.0, 3.0
    assert read() == 0


@pytest.mark.parametrize("name", NAMES)
async def test_every_service_records_its_process(name: str, tmp_path: Path) -> None:
    async with client_of(service(name), tmp_path) as client:
        trends = client.started.kernel.trends
        async with asyncio.timeout(60):
            while len(trends.read(["cpu", "memory", "disk"], "15m").trends) < 3:
                await asyncio.sleep(0.01)
    assert (tmp_path / "trends.bin").is_file()


async def test_route_returns_the_named_figures(tmp_path: Path) -> None:
    async with logged_in(tmp_path) as client:
        trends = client.started.kernel.trends
        trends.sources.append(Source("test", lambda: {"a": 1234.5678, "b": nan}))
        trends.sample()
        found = (await client.get("/api/trends", params={"series": "test,none"})).json()
        assert (found["span"], found["step"]) == ("15m", 1)
        values = {each["label"]: {*each["values"]} for each in found["trends"]}
        assert values == {"a": {None, 1235}, "b": {None}}
        assert (await client.code("GET", "/api/trends?series=cpu&span=1y"))[0] == 400
        client.cookies.clear()
        assert (await client.code("GET", "/api/trends?series=cpu"))[0] == 401
