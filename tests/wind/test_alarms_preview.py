"""What an alarm would find, before anybody relies on it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quartet.wind.alerts.choosing import Choosing
from quartet.wind.alerts.preview import Previews
from quartet.wind.alerts.service import Alarms
from quartet.wind.alerts.types import Preview, PreviewRequest
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.models.catalogue import MODELS
from quartet.wind.observations.types import Measurement
from quartet.wind.ranking.hours import LEADS, Hours, packed
from quartet.wind.ranking.types import Bucket, Nearest, Ranking, Score
from quartet.wind.spots.service import Spots
from quartet.wind.spots.types import NewFavorite
from tests.wind.alarm_rooms import GRID, START, blowing, room_at, somebody, wish
from tests.wind.riders import new_account
from tests.wind.runs import finished_run
from tests.wind.sites import KIEL, NOW, Site, site_at

pytestmark = pytest.mark.anyio

HOUR, DAY = 3600, 86400
RUN = NOW // DAY * DAY
# No run of any model.
NOTHING = Catalogue(Path("nowhere"))


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with site_at(tmp_path) as each:
        yield each


async def shown(site: Site, folder: Path, **changes: Any) -> Preview:
    """Of a spot beside the station, whose directions are all."""

    async def limit() -> int:
        return 10

    spots = Spots(site.db, site.stations, limit)
    anna = await new_account(site.db)
    kiel = await site.stations.by_slug(KIEL)
    spot = await spots.add(anna, NewFavorite("Kiel", kiel.lat, kiel.lon, station=KIEL))
    catalogue = Catalogue(folder / "grids")
    choosing = Choosing(MODELS, site.rankings, catalogue, site.clock)
    previews = Previews(site.db, spots, site.stations, choosing, catalogue, site.clock)
    return await previews.show(anna, PreviewRequest(spot.id, wish(**changes)))


def windy(hour: int) -> bool:
    """Every day from 12 to 17."""
    return 12 <= hour % 24 < 17


async def test_measurements_say_when_it_would_have_been(site: Site, tmp_path: Path) -> None:
    kiel = await site.id_of(KIEL)
    hours = range(RUN - 20 * DAY, RUN, HOUR)
    # As airports do it, some minutes before the hour; another one in between does not count.
    await site.observations.add(
        (
            kiel,
            Measurement(
                time - 600 + late, 18 if late == 0 and windy(time // HOUR) else 4, 270, "metar"
            ),
        )
        for time in hours
        for late in (0, 1500)
    )
    past = (await shown(site, tmp_path)).past
    assert (past.source, past.station, past.hours) == ("measurements", KIEL, 20 * 24)
    assert len(past.windows) == 20
    assert {(each.end - each.start) // HOUR for each in past.windows} == {5}
    assert past.windows[0].start == RUN - 20 * DAY + 12 * HOUR
    assert (past.windows[0].wind_high, past.windows[0].direction) == (18, 270)
    assert (await shown(site, tmp_path, min_hours=6)).past.windows == []


async def test_without_measurements_kept_forecasts_say_it(site: Site, tmp_path: Path) -> None:
    kiel = await site.id_of(KIEL)

    rows = []
    for run in range(RUN - 10 * DAY, RUN, DAY // 2):
        wind = np.where([windy(run // HOUR + lead) for lead in range(LEADS)], 18.0, 4.0)
        rows.append((kiel, "icon-eu", run, packed(Hours(wind, np.full(LEADS, 90.0)))))
    await site.rankings.add(rows)
    past = (await shown(site, tmp_path, model="icon-eu")).past
    assert (past.source, past.hours, len(past.windows)) == ("forecasts", 10 * 24, 10)
    assert past.windows[0].gust is None


async def test_where_nothing_is_known_this_is_said(site: Site, tmp_path: Path) -> None:
    found = await shown(site, tmp_path)
    assert (found.past.source, found.past.windows, found.windows) == ("none", [], [])
    assert found.model is None


async def test_the_newest_run_says_what_is_to_come(site: Site, tmp_path: Path) -> None:
    numbers = np.zeros((49, 3, GRID.points), np.int16)
    numbers[:, 0], numbers[:, 2] = 400, 600
    numbers[30:36, 0], numbers[30:36, 2] = 1800, 2400
    finished_run(tmp_path / "grids", GRID, numbers, run=RUN)
    found = await shown(site, tmp_path, model="icon-eu")
    assert (found.model, found.run, found.timezone) == ("icon-eu", RUN, "Europe/Berlin")
    (window,) = found.windows
    assert (window.start, window.end, window.gust) == (RUN + 30 * HOUR, RUN + 36 * HOUR, 24)


class Ranked:
    """The models of a station by how they did, for each day ahead."""

    def __init__(self, *days: list[str]) -> None:
        self.days = days

    async def nearest(self, _place: object) -> Nearest:
        buckets = [
            Bucket((24 * day, 24 * day + 24), 50, [Score(model, 1, 1, 1, 50) for model in models])
            for day, models in enumerate(self.days)
        ]
        return Nearest(None, 1.0, Ranking(0, 0, buckets))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("place", "lead", "wanted", "expected"),
    [
        ((54.4, 10.2), 24, None, "ecmwf"),
        ((54.4, 10.2), 48, None, "icon-eu"),
        # Nobody was compared so far ahead: the day before counts. ICON-D2 does not reach it.
        ((54.4, 10.2), 72, None, "icon-eu"),
        ((54.4, 10.2), 24, "gfs", "gfs"),
        # It does not cover New Zealand.
        ((-41.3, 174.8), 24, "icon-d2", "ecmwf"),
        ((-41.3, 174.8), 48, None, "icon"),
    ],
)
async def test_the_best_model_that_covers_and_reaches(
    place: tuple[float, float], lead: int, wanted: str | None, expected: str
) -> None:
    ranked = Ranked(["ecmwf", "icon-d2"], ["icon-eu", "icon-d2", "icon"], [])
    choosing = Choosing(MODELS, ranked, NOTHING)  # type: ignore[arg-type]
    assert await choosing.model_for(*place, lead, wanted) == expected


async def test_without_a_ranking_the_finest_that_reaches() -> None:
    choosing = Choosing(MODELS, Ranked([], [], []), NOTHING)  # type: ignore[arg-type]
    assert await choosing.model_for(54.4, 10.2, 24, None) == "icon-d2"
    assert await choosing.model_for(54.4, 10.2, 72, None) == "icon-eu"
    assert await choosing.model_for(-41.3, 174.8, 168, None) == "icon"
    few = Choosing(MODELS[:1], Ranked([], [], []), NOTHING)  # type: ignore[arg-type]
    assert await few.model_for(54.4, 10.2, 168, None) == "icon-d2"
    assert await few.model_for(-41.3, 174.8, 24, None) is None


async def test_the_best_model_is_chosen_anew_from_time_to_time(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing()) as room:
        user = await somebody(room)
        best, wanted = await room.spot(user, 0), await room.spot(user, 1)
        await room.set(best, wish())
        await room.set(wanted, wish(model="icon-eu"))

        async def choose(*days: list[str]) -> list[str | None]:
            choosing = Choosing(MODELS, Ranked(*days), NOTHING)  # type: ignore[arg-type]
            alarms = Alarms(room.db, None, choosing, None, int)  # type: ignore[arg-type]
            await alarms.choose_models()
            return [each.follows for each in (await alarms.all(user)).alarms]

        # Nobody can be compared: it stays as it is.
        assert await choose([], [], []) == ["icon-eu", "icon-eu"]
        assert await choose([], ["ecmwf", "gfs"], []) == ["ecmwf", "icon-eu"]
        assert await choose([], [], []) == ["ecmwf", "icon-eu"]


async def test_a_model_that_does_not_come_any_more_is_left(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((30, 36))) as room:
        user = await somebody(room)
        best, wanted = await room.spot(user, 0), await room.spot(user, 1)
        await room.set(best, wish())
        await room.set(wanted, wish(model="icon-eu"))
        room.publish(START - 30 * HOUR)
        choosing = Choosing(MODELS, Ranked(["icon-eu"]), room.catalogue, room.clock)  # type: ignore[arg-type]
        alarms = Alarms(room.db, None, choosing, None, int)  # type: ignore[arg-type]

        async def followed() -> list[str | None]:
            await alarms.choose_models()
            return [each.follows for each in (await alarms.all(user)).alarms]

        # Better than nothing.
        assert await followed() == ["icon-eu", "icon-eu"]
        fresh = np.zeros((49, 3, GRID.points), np.int16)
        fresh[20:30, 0] = 2000
        room.catalogue.add(
            finished_run(tmp_path / "grids", GRID, fresh, model="gfs", run=START - 6 * HOUR)
        )
        assert await followed() == ["gfs", "gfs"]
        await room.tick()
        assert len(room.push.arrived) == 2
        room.publish(START)
        assert await followed() == ["icon-eu", "icon-eu"]
        # At first one may also follow what is still on its way.
        assert await choosing.model_for(54.4, 10.2, 24, "icon-d2") == "icon-d2"
