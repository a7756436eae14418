"""Outlooks for spots."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import numpy as np
import pytest

from quartet.wind.alerts.evaluation import blend_inputs, windows_in
from quartet.wind.alerts.preview import rule_of
from quartet.wind.alerts.store_windows import WatchedAlert
from quartet.wind.alerts.types import HourSpan
from quartet.wind.blend.answers import BestForecasts
from quartet.wind.blend.service import Blends
from quartet.wind.gear.service import Gear
from quartet.wind.gear.types import GearItem
from quartet.wind.grid.arrays import Int16s
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import NO_DATA, WAVE_CHANNELS
from quartet.wind.observations.types import Measurement
from quartet.wind.outlook.daylight import is_light
from quartet.wind.outlook.service import Outlooks, best_first
from quartet.wind.outlook.types import SpotOutlook
from quartet.wind.ranking.types import Bucket, Ranking, Score
from quartet.wind.spots.service import Spots
from quartet.wind.spots.types import NewFavorite, Sector
from tests.wind.alert_harness import AlertHarness, FakeMail, FakePush, alert_change, windy
from tests.wind.quiet import quiet
from tests.wind.runs import finished_run
from tests.wind.signed_in_users import new_account, signed_in_user
from tests.wind.station_setup import KIEL, LIGHTHOUSE, Site, site_at

MAY = 1_778_544_000  # midnight of a day in May, UTC
HOUR = 3600
EUROPE = Grid(0.0, 45.0, 0.5, 0.5, 31, 31)
MODELS = ["icon-d2", "icon-eu", "gfs"]
LONGEST = dict.fromkeys(MODELS, 12 * HOUR)
WEST = [Sector(225, 315)]
SAILS = [GearItem("sail", "big", 7.0, "m²"), GearItem("sail", "small", 4.7, "m²")]


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with site_at(tmp_path, MAY + 6 * HOUR) as each:
        yield each


@pytest.fixture
async def anna(site: Site) -> int:
    return await new_account(site.db)


def blowing(hours: int, wind: Mapping[int, tuple[float, float]], gust: float = 3) -> Int16s:
    """West and south wind in knots at some hours, else a breeze; `gust` is added to it."""
    numbers = np.zeros((hours, 3, EUROPE.points), np.int16)
    for hour in range(hours):
        u, v = wind.get(hour, (3.0, 0.0))
        strongest = (u**2 + v**2) ** 0.5 + gust
        numbers[hour] = (np.array([u, v, strongest]) * 100).astype(np.int16)[:, None]
    return numbers


def outlooks(site: Site, folder: Path, minimum: float | None = None) -> Outlooks:
    async def minimums(_user: int) -> dict[int, float]:
        return {} if minimum is None else {1: minimum}

    catalogue = Catalogue(folder / "grids")
    return Outlooks(site.db, catalogue, LONGEST, site.rankings, minimums, site.clock)


async def add_spot(site: Site, user: int, station: str | None = None) -> None:
    async def limit() -> int:
        return 50

    new = NewFavorite("Laboe", 54.4, 10.23, WEST, station)
    await Spots(site.db, site.stations, limit, site.clock).add(user, new)


async def laboe(
    site: Site, user: int, folder: Path, run: Int16s, minimum: float | None = None
) -> SpotOutlook:
    finished_run(folder / "grids", EUROPE, run, model="icon-d2", run=MAY)
    await add_spot(site, user)
    (spot,) = (await outlooks(site, folder, minimum).of(user)).spots
    return spot


@pytest.mark.anyio
async def test_good_window_has_time_wind_and_gear(site: Site, anna: int, tmp_path: Path) -> None:
    await Gear(site.db).replace(anna, SAILS)
    west = {hour: (14.0 + (hour == 12) * 3, 0.0) for hour in range(10, 16)}
    spot = await laboe(site, anna, tmp_path, blowing(48, west))
    (window,) = spot.windows
    assert (window.start, window.end) == (MAY + 10 * HOUR, MAY + 16 * HOUR)
    assert (window.wind_mean, window.wind_max, window.gust_max) == (14.5, 17.0, 20.0)
    assert (window.direction, window.model) == (270, "icon-d2")
    assert [each.name for each in window.rig] == ["big"]
    assert (spot.model, spot.run, spot.notice) == ("icon-d2", MAY, None)
    assert (spot.wanted.by, spot.wanted.wind_min, spot.wanted.wind_max) == ("gear", 12.2, 30.4)
    assert spot.hours is not None
    assert spot.hours.times[0] == MAY + 6 * HOUR and len(spot.hours.times) == 42
    assert [spot.hours.times[n] for n, good in enumerate(spot.hours.good) if good] == [
        MAY + hour * HOUR for hour in range(10, 16)
    ]
    assert (spot.hours.wind[4], spot.hours.gust[4], spot.hours.direction[4]) == (14.0, 17.0, 270)


@pytest.mark.anyio
async def test_session_days_are_judged_by_the_same_windows(
    site: Site, anna: int, tmp_path: Path
) -> None:
    await Gear(site.db).replace(anna, SAILS)
    hours = {
        **dict.fromkeys(range(8, 12), (0.0, 15.0)),  # from the south
        **dict.fromkeys(range(34, 40), (14.0, 0.0)),
    }
    spot = await laboe(site, anna, tmp_path, blowing(73, hours))
    (window,) = spot.windows
    today, tomorrow, last = spot.days
    # Midnight in Kiel, in summer.
    assert [day.start - MAY for day in spot.days] == [-2 * HOUR, 22 * HOUR, 46 * HOUR]
    assert today.times[0] == MAY + 6 * HOUR and not any(today.good)
    good = [time for time, each in zip(tomorrow.times, tomorrow.good, strict=True) if each]
    assert (good[0], good[-1] + HOUR) == (window.start, window.end)
    assert [day.score for day in spot.days] == [0, 6.0, 0]
    south = today.times.index(MAY + 9 * HOUR)
    assert not today.fits[south] and all(tomorrow.fits)
    assert [each.name for each in tomorrow.rig] == ["big"] and last.rig == []
    assert tomorrow.wave_max is None and len(tomorrow.wind) == len(tomorrow.times) < 20


@pytest.mark.anyio
async def test_alert_message_states_the_windows_of_the_outlook(
    site: Site, anna: int, tmp_path: Path
) -> None:
    harness = AlertHarness(
        tmp_path,
        site.db,
        site.clock,
        windy((10, 16), (34, 40)),
        FakePush(site.clock),
        FakeMail(site.clock),
        Catalogue(tmp_path / "grids"),
    )
    spot = await harness.spot(anna)
    await harness.set(spot, alert_change())
    harness.publish(MAY)
    await harness.tick()
    (shown,) = (await outlooks(site, tmp_path, 14.75).of(anna)).spots
    windows = [(each.start, each.end) for each in shown.windows]
    assert windows == [
        (MAY + start * HOUR, MAY + end * HOUR) for start, end in ((10, 16), (34, 40))
    ]
    strip = [
        time for day in shown.days for time, good in zip(day.times, day.good, strict=True) if good
    ]
    assert strip == [time for start, end in windows for time in range(start, end, HOUR)]
    sent = "\n".join(each.text for each in harness.push.received)
    # Two hours later in Kiel, where it is summer.
    assert "Tue 12 May 12-18 h" in sent and "Wed 13 May 12-18 h" in sent
    assert sent.count(" h: ") == len(windows)


@pytest.mark.anyio
async def test_windows_of_best_do_not_end_with_the_evaluated_run(
    site: Site, anna: int, tmp_path: Path
) -> None:
    west = dict.fromkeys(range(10, 16), (16.0, 0.0))
    for model, hours in (("icon-d2", 13), ("icon-eu", 48)):
        finished_run(tmp_path / "grids", EUROPE, blowing(hours, west), model=model, run=MAY)
    await add_spot(site, anna)
    (spot,) = (await outlooks(site, tmp_path).of(anna)).spots
    catalogue, favorite = Catalogue(tmp_path / "grids"), spot.favorite
    blends = Blends(site.db, site.stations, catalogue, ["icon-d2", "icon-eu"], site.clock)
    rule = rule_of(alert_change(hours=HourSpan(0, 24)), favorite)
    watched = WatchedAlert(1, favorite.lat, favorite.lon, 0, False, (), rule, True)
    inputs = await blend_inputs(BestForecasts(blends, LONGEST, site.clock), [watched])
    for run in catalogue.forecasts.values():
        (window,) = windows_in(run, [watched], site.clock(), (), inputs)[1]
        assert (window.start, window.end) == (MAY + 10 * HOUR, MAY + 16 * HOUR)


@pytest.mark.anyio
async def test_session_days_have_the_highest_waves(site: Site, anna: int, tmp_path: Path) -> None:
    waves = np.zeros((25, 3, EUROPE.points), np.int16)
    waves[:, 0] = np.arange(25)[:, None] * 10
    finished_run(
        tmp_path / "grids",
        EUROPE,
        waves,
        model="gfs-wave",
        run=MAY,
        steps=tuple(range(0, 75, 3)),
        channels=WAVE_CHANNELS,
    )
    spot = await laboe(site, anna, tmp_path, blowing(48, {}))
    # At 21 UTC of the first day, the last step within two hours of its last light hour.
    assert spot.days[0].wave_max == 0.7


@pytest.mark.anyio
async def test_wrong_direction_night_and_single_hours_are_not_good(
    site: Site, anna: int, tmp_path: Path
) -> None:
    hours = {
        **dict.fromkeys(range(8, 12), (0.0, 15.0)),  # from the south
        **dict.fromkeys(range(21, 26), (15.0, 0.0)),  # at night
        32: (15.0, 0.0),  # one hour
        **dict.fromkeys(range(36, 39), (55.0, 0.0)),  # a storm
    }
    spot = await laboe(site, anna, tmp_path, blowing(48, hours))
    assert spot.windows == []
    assert (spot.wanted.by, spot.wanted.wind_min, spot.wanted.wind_max) == ("default", 12.0, 40.0)


@pytest.mark.anyio
async def test_alert_sets_the_minimum_wind(site: Site, anna: int, tmp_path: Path) -> None:
    await Gear(site.db).replace(anna, SAILS)
    hours = dict.fromkeys(range(8, 12), (9.0, 0.0)) | dict.fromkeys(range(12, 14), (18.0, 0.0))
    spot = await laboe(site, anna, tmp_path, blowing(48, hours), minimum=8.0)
    assert (spot.wanted.by, spot.wanted.wind_min, spot.wanted.wind_max) == ("alarm", 8.0, None)
    assert [(each.start - MAY) // HOUR for each in spot.windows] == [8]
    assert spot.windows[0].wind_mean == 12.0


@pytest.mark.anyio
async def test_next_model_continues_where_the_best_one_ends(
    site: Site, anna: int, tmp_path: Path
) -> None:
    steps = tuple(range(0, 121, 3))
    far = blowing(len(steps), {4: (15.0, 0.0), 12: (15.0, 0.0), 20: (20.0, 0.0)})
    far[:, 2] = NO_DATA
    finished_run(tmp_path / "grids", EUROPE, far, model="icon-eu", run=MAY, steps=steps)
    spot = await laboe(site, anna, tmp_path, blowing(32, {}))
    # Twelve hours after the run the finer model is better; a day later it has ended.
    assert [(each.model, (each.start - MAY) // HOUR) for each in spot.windows] == [
        ("icon-eu", 36),
        ("icon-eu", 60),
    ]
    assert spot.windows[0].end - spot.windows[0].start == 3 * HOUR
    assert spot.windows[0].gust_max is None
    assert spot.hours is not None
    assert (spot.hours.gust[0], spot.hours.gust[-1]) == (6.0, None)
    assert spot.hours.times == sorted(set(spot.hours.times))


@pytest.mark.anyio
async def test_model_without_new_runs_is_used_last(site: Site, anna: int, tmp_path: Path) -> None:
    stuck = blowing(120, dict.fromkeys(range(120), (20.0, 0.0)))
    finished_run(tmp_path / "grids", EUROPE, stuck, model="icon-d2", run=MAY - 48 * HOUR)
    await add_spot(site, anna)
    (spot,) = (await outlooks(site, tmp_path).of(anna)).spots
    # Used for lack of alternatives, with a notice.
    assert (spot.model, spot.notice) == ("icon-d2", "outdated") and spot.windows
    finished_run(tmp_path / "grids", EUROPE, blowing(48, {}), model="gfs", run=MAY)
    (spot,) = (await outlooks(site, tmp_path).of(anna)).spots
    assert (spot.model, spot.notice, spot.windows) == ("gfs", None, [])


@pytest.mark.anyio
async def test_current_wind_is_from_nearby_station(site: Site, anna: int, tmp_path: Path) -> None:
    now = int(site.clock())
    for slug, wind in ((LIGHTHOUSE, 17.0), (KIEL, 11.0)):
        measured = Measurement(now - 600, wind, 280, "demo", wind + 4)
        older = Measurement(now - 4200, 1.0, None, "demo")
        await site.observations.add([(await site.id_of(slug), each) for each in (older, measured)])
    await add_spot(site, anna)
    await add_spot(site, anna, LIGHTHOUSE)
    nearest, chosen = (await outlooks(site, tmp_path).of(anna)).spots
    assert nearest.now is not None and chosen.now is not None
    assert (nearest.now.station, nearest.now.wind, nearest.now.gust) == (KIEL, 11.0, 15.0)
    assert (nearest.now.age, nearest.now.direction) == (600, 280)
    assert (chosen.now.station, chosen.now.wind) == (LIGHTHOUSE, 17.0)
    assert 0 < nearest.now.distance_km < 15 and 0 < chosen.now.distance_km < 15
    assert (nearest.notice, nearest.windows, nearest.hours) == ("no_forecast", [], None)


@pytest.mark.anyio
async def test_outlook_over_http(tmp_path: Path) -> None:
    async with quiet(tmp_path) as client:
        browser = (await signed_in_user(client)).browser
        assert (await browser.get("/api/favorites/outlook")).json()["spots"] == []
        added = await browser.post("/api/favorites", json={"name": "A", "lat": 54, "lon": 10})
        answer = (await browser.get("/api/favorites/outlook")).json()
    assert answer["spots"] == [
        {
            "favorite": added.json(),
            "wanted": {"by": "default", "windMin": 12.0, "windMax": 40.0},
            "now": None,
            "windows": [],
            "notice": "no_forecast",
        }
    ]


def test_most_accurate_model_comes_first() -> None:
    def bucket(*models: str) -> Bucket:
        return Bucket((0, 24), 99, [Score(model, 1.0, 0.0, 1.0, 99) for model in models])

    ranking = Ranking(0, 1, [bucket("icon-eu", "icon-d2"), bucket("gfs"), bucket()])
    assert best_first(ranking, ["icon-d2", "icon-eu", "arome", "gfs"]) == [
        "icon-eu",
        "icon-d2",
        "gfs",
        "arome",
    ]
    # ICON-EU is no longer fetched.
    assert best_first(ranking, ["icon-d2", "gfs"]) == ["icon-d2", "gfs"]
    assert best_first(None, MODELS) == MODELS


def test_days_are_long_in_summer_and_short_in_winter() -> None:
    def light_hours(day: int, lat: float, lon: float) -> list[int]:
        times = day + HOUR * np.arange(24)
        return [int(hour) for hour in np.flatnonzero(is_light(times, lat, lon))]

    june, december = 1_782_000_000 // 86400 * 86400, 1_797_811_200 // 86400 * 86400
    # In Kiel the sun is up from 2:46 to 19:53 UTC, in December from 7:38 to 14:58.
    assert light_hours(june, 54.3, 10.1) == list(range(3, 21))
    assert light_hours(december, 54.3, 10.1) == list(range(8, 16))
    assert len(light_hours(june, 78.0, 15.0)) == 24 and light_hours(december, 78.0, 15.0) == []
    assert light_hours(june, 0.0, 180.0) == [*range(7), *range(18, 24)]
