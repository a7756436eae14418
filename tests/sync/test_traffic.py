"""Pauses, speed limits and their schedule."""

import asyncio
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.sync.config import tasks
from quartet.sync.config.desired import hub_state
from quartet.sync.config.pace import WeekMoment, pace_at
from quartet.sync.config.types.traffic import Pace, Traffic, Window
from quartet.sync.hub.engine_config import hub_config
from tests.sync.running_app import RunningApp

pytestmark = pytest.mark.anyio

NIGHT = Window(days=[0, 6], begin="22:00", end="06:00", paused=True)
NOON = Window(days=[0], begin="12:00", end="13:00", upload_kib=100)
TRAFFIC = Traffic(upload_kib=500, schedule=[NIGHT, NOON])


@pytest.mark.parametrize(
    ("weekday", "clock", "pace"),
    [
        (0, "12:00", Pace(upload_kib=100)),
        (0, "12:59", Pace(upload_kib=100)),
        (0, "13:00", Pace(upload_kib=500)),
        (0, "22:00", Pace(paused=True)),
        # Continues into the next day and across the end of the week.
        (1, "05:59", Pace(paused=True)),
        (1, "06:00", Pace(upload_kib=500)),
        (0, "03:00", Pace(paused=True)),
        (1, "22:00", Pace(upload_kib=500)),
        (2, "03:00", Pace(upload_kib=500)),
    ],
)
def test_schedule_at_given_times(weekday: int, clock: str, pace: Pace) -> None:
    assert pace_at(TRAFFIC, WeekMoment(weekday, clock)) == pace


clocks = st.builds(lambda h, m: f"{h:02}:{m:02}", st.integers(0, 23), st.integers(0, 59))


@given(st.integers(0, 6), clocks, clocks, clocks)
def test_window_and_its_inverse_cover_day(day: int, now: str, begin: str, end: str) -> None:
    if begin == end:
        return
    every = list(range(7))
    one = Window(days=every, begin=begin, end=end, paused=True)
    other = Window(days=every, begin=end, end=begin, paused=True)
    paused = [
        pace_at(Traffic(schedule=[each]), WeekMoment(day, now)).paused for each in (one, other)
    ]
    assert sorted(paused) == [False, True]


async def test_device_is_paused_and_limited_on_hub(app: RunningApp) -> None:
    device, _ = await app.device()
    traffic = {"paused": False, "uploadKib": 100, "downloadKib": 200, "schedule": []}
    night = {"days": [0], "begin": "22:00", "end": "06:00", "paused": True}
    traffic["schedule"] = [night]
    answer = await app.admin.patch(f"/api/devices/{device}", json={"traffic": traffic})
    assert answer.status_code == 204
    shown = await app.shown(device)
    assert shown["traffic"]["schedule"][0] == {**night, "uploadKib": 0, "downloadKib": 0}
    assert shown["pace"].keys() == {"paused", "uploadKib", "downloadKib"}
    given: Any = app.started.built.dependencies
    config = given["revisions"].current
    for clock, expected in (("12:00", (False, 200, 100)), ("23:00", (True, 0, 0))):
        [peer] = hub_state(config, WeekMoment(0, clock)).peers
        assert (peer.paused, peer.send_kib, peer.receive_kib) == expected
        state = hub_state(config, WeekMoment(0, clock))
        [engine_peer] = hub_config(state, app.started.kernel.settings.data).peers
        assert (engine_peer.paused, engine_peer.send_kib, engine_peer.receive_kib) == expected


async def test_schedule_change_is_announced(
    app: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    device, _ = await app.device()
    night = {"days": [0], "begin": "22:00", "end": "06:00", "paused": True}
    answer = await app.admin.patch(
        f"/api/devices/{device}", json={"traffic": {"schedule": [night]}}
    )
    assert answer.status_code == 204
    moment, changed = [WeekMoment(0, "21:59")], asyncio.Event()
    monkeypatch.setattr(tasks, "SCHEDULE_SECONDS", 0.001)
    monkeypatch.setattr(tasks, "current_moment", lambda: moment[0])
    given: Any = app.started.built.dependencies
    loop = asyncio.ensure_future(tasks.traffic_task(given["revisions"], changed.set).run())
    try:
        for clock in ("22:00", "06:00"):
            await asyncio.sleep(0.01)
            assert not changed.is_set()
            moment[0] = WeekMoment(0, clock)
            await asyncio.wait_for(changed.wait(), 60)
            changed.clear()
    finally:
        loop.cancel()


@pytest.mark.parametrize(
    "wrong",
    [
        {"uploadKib": -1},
        {"schedule": [{"days": [7], "begin": "10:00", "end": "11:00"}]},
        {"schedule": [{"days": [], "begin": "10:00", "end": "11:00"}]},
        {"schedule": [{"days": [1], "begin": "24:00", "end": "11:00"}]},
        {"schedule": [{"days": [1], "begin": "10:00", "end": "11:00"}] * 21},
    ],
)
def test_invalid_schedules_are_rejected(wrong: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, Traffic)
