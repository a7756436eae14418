"""Alert previews."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quartet.wind.alerts.model_choice import ModelChoice
from quartet.wind.alerts.preview import Previews
from quartet.wind.alerts.service import Alerts
from quartet.wind.alerts.types import Preview, PreviewRequest
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.models.catalogue import MODELS
from quartet.wind.observations.types import Measurement
from quartet.wind.ranking.hours import LEADS, LeadTimeHours, pack
from quartet.wind.ranking.types import Bucket, Nearest, Ranking, Score
from quartet.wind.spots.service import Spots
from quartet.wind.spots.types import NewFavorite
from tests.wind.alert_harness import GRID, START, add_user, alert_change, alert_harness_at, windy
from tests.wind.runs import finished_run
from tests.wind.signed_in_users import new_account
from tests.wind.station_setup import KIEL, NOW, Site, site_at

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
    """A spot near the station, with any direction."""

    async def limit() -> int:
        return 10

    spots = Spots(site.db, site.stations, limit)
    anna = await new_account(site.db)
    kiel = await site.stations.by_slug(KIEL)
    spot = await spots.add(anna, NewFavorite("Kiel", kiel.lat, kiel.lon, station=KIEL))
    catalogue = Catalogue(folder / "grids")
    model_choice = ModelChoice(MODELS, site.rankings, catalogue, site.clock)
    previews = Previews(site.db, spots, site.stations, model_choice, catalogue, site.clock)
    return await previews.show(anna, PreviewRequest(spot.id, alert_change(**changes)))


def is_windy(hour: int) -> bool:
    """Windy every day from 12 to 17."""
    return 12 <= hour % 24 < 17


async def test_preview_uses_measurements(site: Site, tmp_path: Path) -> None:
    kiel = await site.id_of(KIEL)
    hours = range(RUN - 20 * DAY, RUN, HOUR)
    # Reported a few minutes before the hour, like at airports; others in between are ignored.
    await site.observations.add(
        (
            kiel,
            Measurement(
                time - 600 + late, 18 if late == 0 and is_windy(time // HOUR) else 4, 270, "metar"
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


async def test_preview_uses_stored_forecasts_without_measurements(
    site: Site, tmp_path: Path
) -> None:
    kiel = await site.id_of(KIEL)

    rows = []
    for run in range(RUN - 10 * DAY, RUN, DAY // 2):
        wind = np.where([is_windy(run // HOUR + lead) for lead in range(LEADS)], 18.0, 4.0)
        rows.append((kiel, "icon-eu", run, pack(LeadTimeHours(wind, np.full(LEADS, 90.0)))))
    await site.rankings.add(rows)
    past = (await shown(site, tmp_path, model="icon-eu")).past
    assert (past.source, past.hours, len(past.windows)) == ("forecasts", 10 * 24, 10)
    assert past.windows[0].gust is None


async def test_preview_without_any_data_says_so(site: Site, tmp_path: Path) -> None:
    found = await shown(site, tmp_path)
    assert (found.past.source, found.past.windows, found.windows) == ("none", [], [])
    assert found.model is None


async def test_preview_uses_newest_run_for_the_future(site: Site, tmp_path: Path) -> None:
    numbers = np.zeros((49, 3, GRID.points), np.int16)
    numbers[:, 0], numbers[:, 2] = 400, 600
    numbers[30:36, 0], numbers[30:36, 2] = 1800, 2400
    finished_run(tmp_path / "grids", GRID, numbers, run=RUN)
    found = await shown(site, tmp_path, model="icon-eu")
    assert (found.model, found.run, found.timezone) == ("icon-eu", RUN, "Europe/Berlin")
    (window,) = found.windows
    assert (window.start, window.end, window.gust) == (RUN + 30 * HOUR, RUN + 36 * HOUR, 24)


class Ranked:
    """Return a ranking with the models of each lead time bucket."""

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
        # No ranking for that lead time, so the previous day counts. ICON-D2 does not reach it.
        ((54.4, 10.2), 72, None, "icon-eu"),
        ((54.4, 10.2), 24, "gfs", "gfs"),
        # Not covering New Zealand.
        ((-41.3, 174.8), 24, "icon-d2", "ecmwf"),
        ((-41.3, 174.8), 48, None, "icon"),
    ],
)
async def test_best_model_that_covers_place_and_lead_time_is_chosen(
    place: tuple[float, float], lead: int, wanted: str | None, expected: str
) -> None:
    ranked = Ranked(["ecmwf", "icon-d2"], ["icon-eu", "icon-d2", "icon"], [])
    model_choice = ModelChoice(MODELS, ranked, NOTHING)  # type: ignore[arg-type]
    assert await model_choice.model_for(*place, lead, wanted) == expected


async def test_finest_sufficient_model_is_chosen_without_ranking() -> None:
    model_choice = ModelChoice(MODELS, Ranked([], [], []), NOTHING)  # type: ignore[arg-type]
    assert await model_choice.model_for(54.4, 10.2, 24, None) == "icon-d2"
    assert await model_choice.model_for(54.4, 10.2, 72, None) == "icon-eu"
    assert await model_choice.model_for(-41.3, 174.8, 168, None) == "icon"
    few = ModelChoice(MODELS[:1], Ranked([], [], []), NOTHING)  # type: ignore[arg-type]
    assert await few.model_for(54.4, 10.2, 168, None) == "icon-d2"
    assert await few.model_for(-41.3, 174.8, 24, None) is None


async def test_best_model_is_reconsidered_periodically(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy()) as harness:
        user = await add_user(harness)
        best, wanted = await harness.spot(user, 0), await harness.spot(user, 1)
        await harness.set(best, alert_change())
        await harness.set(wanted, alert_change(model="icon-eu"))

        async def choose(*days: list[str]) -> list[str | None]:
            model_choice = ModelChoice(MODELS, Ranked(*days), NOTHING)  # type: ignore[arg-type]
            alarms = Alerts(harness.db, None, model_choice, None, int)  # type: ignore[arg-type]
            await alarms.choose_models()
            return [each.follows for each in (await alarms.all(user)).alarms]

        # Without a ranking the choice stays.
        assert await choose([], [], []) == ["icon-eu", "icon-eu"]
        assert await choose([], ["ecmwf", "gfs"], []) == ["ecmwf", "icon-eu"]
        assert await choose([], [], []) == ["ecmwf", "icon-eu"]


async def test_model_without_new_runs_is_abandoned(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((30, 36))) as harness:
        user = await add_user(harness)
        best, wanted = await harness.spot(user, 0), await harness.spot(user, 1)
        await harness.set(best, alert_change())
        await harness.set(wanted, alert_change(model="icon-eu"))
        harness.publish(START - 30 * HOUR)
        model_choice = ModelChoice(MODELS, Ranked(["icon-eu"]), harness.catalogue, harness.clock)  # type: ignore[arg-type]
        alarms = Alerts(harness.db, None, model_choice, None, int)  # type: ignore[arg-type]

        async def followed() -> list[str | None]:
            await alarms.choose_models()
            return [each.follows for each in (await alarms.all(user)).alarms]

        # Still used if there is no alternative.
        assert await followed() == ["icon-eu", "icon-eu"]
        fresh = np.zeros((49, 3, GRID.points), np.int16)
        fresh[20:30, 0] = 2000
        harness.catalogue.add(
            finished_run(tmp_path / "grids", GRID, fresh, model="gfs", run=START - 6 * HOUR)
        )
        assert await followed() == ["gfs", "gfs"]
        await harness.tick()
        assert [len(each.windows) for each in harness.push.received] == [2]
        harness.publish(START)
        assert await followed() == ["icon-eu", "icon-eu"]
        # On the first choice, models without any run are allowed too.
        assert await model_choice.model_for(54.4, 10.2, 24, "icon-d2") == "icon-d2"
