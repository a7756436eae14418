"""Model rankings, with constructed errors and with the demo, whose correct order is known."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from quartet.wind.demo.errors import ERRORS
from quartet.wind.demo.measurements import demo_spots, measured
from quartet.wind.demo.past_forecasts import rows_of_run
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.reading import StoredRun
from quartet.wind.models.catalogue import MODELS
from quartet.wind.observations.types import Measurement
from quartet.wind.ranking.hours import LEADS, LeadTimeHours, pack, unpack
from quartet.wind.ranking.scores import FEWEST, buckets_of
from tests.wind.runs import finished_run
from tests.wind.station_setup import KIEL, NOW, Site, site_at

pytestmark = pytest.mark.anyio

HOUR = 3600
RUN = NOW // 86400 * 86400
ModelWinds = dict[str, dict[int, LeadTimeHours]]


def steady(wind: float, direction: float = 90, reach: int = LEADS, every: int = 1) -> LeadTimeHours:
    leads = np.arange(LEADS)
    found = (leads < reach) & (leads % every == 0)
    return LeadTimeHours(np.where(found, wind, np.nan), np.where(found, direction, np.nan))


def truth(wind: float, direction: int | None = 90, days: int = 9) -> list[Measurement]:
    hours = range(RUN - 5 * 86400, RUN + (days - 5) * 86400, HOUR)
    # Reported a few minutes before the hour, like at airports.
    return [Measurement(hour - 600, wind, direction, "metar") for hour in hours]


def runs(**models: LeadTimeHours) -> ModelWinds:
    return {
        model: {RUN - day * 86400: hours for day in range(4)} for model, hours in models.items()
    }


async def test_errors_are_in_knots_and_degrees() -> None:
    near, *_, far = buckets_of(runs(a=steady(12), b=steady(9, 350)), truth(10, 10))
    assert [row.model for row in near.rows] == ["b", "a"]
    best, worst = near.rows
    assert (best.mae_wind, best.bias_wind, best.rmse_wind, best.mae_direction) == (1, -1, 1, 20)
    assert (worst.mae_wind, worst.bias_wind, worst.mae_direction) == (2, 2, 80)
    assert near.n == best.n == worst.n == 4 * 13
    assert (far.hours, far.n, far.notice) == ((48, 72), 4 * 24, None)


async def test_only_hours_common_to_all_models_count() -> None:
    buckets = buckets_of(runs(fine=steady(10, reach=49), coarse=steady(10, every=3)), truth(10))
    assert [bucket.n for bucket in buckets] == [4 * 5, 4 * 4, 4 * 8, 4 * 8]
    assert [bucket.notice for bucket in buckets] == ["few_samples"] * 4
    longer = {
        model: {RUN - half * 43200: hours for half in range(10)}
        for model, hours in (("fine", steady(10, reach=49)), ("coarse", steady(11, every=3)))
    }
    near, _, middle, far = buckets_of(longer, truth(10))
    assert [row.n for row in near.rows] == [50, 50]
    assert [row.model for row in middle.rows] == ["fine", "coarse"]
    # The finer model ends earlier.
    assert [row.model for row in far.rows] == ["coarse"]


async def test_new_model_does_not_shorten_the_comparison() -> None:
    found = runs(old=steady(10), other=steady(11))
    found["new"] = {RUN: steady(10)}
    assert [row.model for row in buckets_of(found, truth(10))[0].rows] == ["old", "other"]


async def test_direction_is_ignored_in_light_wind() -> None:
    near = buckets_of(runs(a=steady(4, 200)), truth(4.9))[0]
    assert near.rows[0].mae_direction is None and near.rows[0].mae_wind == 0.9
    assert buckets_of(runs(a=steady(9)), truth(9, None))[0].rows[0].mae_direction is None


async def test_too_few_samples_give_no_ranking() -> None:
    two = {"a": {RUN: steady(10)}}
    near = buckets_of(two, truth(10))[0]
    assert (near.n, near.rows, near.notice) == (13, [], "few_samples")
    assert near.n < FEWEST // 2
    assert [bucket.n for bucket in buckets_of({}, truth(10))] == [0, 0, 0, 0]
    assert [bucket.n for bucket in buckets_of(runs(a=steady(10)), [])] == [0, 0, 0, 0]
    assert buckets_of(two, truth(10)[:1])[0].n == 0


async def test_packed_hours_round_trip() -> None:
    hours = steady(12.3, 359, every=3)
    kept = unpack(pack(hours))
    np.testing.assert_allclose(kept.wind, hours.wind)
    np.testing.assert_allclose(kept.direction, hours.direction)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with site_at(tmp_path) as site:
        yield site


async def test_run_is_stored_once_for_live_stations(site: Site, tmp_path: Path) -> None:
    grid = Grid(5.0, 50.0, 1.0, 1.0, 10, 8)
    numbers = np.zeros((5, 3, grid.points), np.int16)
    numbers[:, 1] = 1000
    run = StoredRun(finished_run(tmp_path / "grids", grid, numbers, run=RUN))
    kiel = await site.id_of(KIEL)
    assert await site.rankings.keep(run) == 0
    site.stations.record_report(kiel, NOW - 60)
    site.stations.record_report(await site.id_of("john-f-kennedy-kjfk"), NOW - 60)
    assert await site.rankings.keep(run) == 1
    assert await site.rankings.keep(run) == 0
    later = StoredRun(finished_run(tmp_path / "grids", grid, numbers, run=RUN + 3 * HOUR))
    assert await site.rankings.keep(later) == 0
    other = type(site.rankings)(site.db, site.stations, 30, site.clock)
    assert await other.keep(run) == 0


async def test_demo_ranking_has_the_known_order(site: Site) -> None:
    spots = demo_spots([await site.stations.by_slug(KIEL)])
    first = RUN - 9 * 86400
    times = range(first, NOW, HOUR)
    await site.observations.add(row for time in times for row in measured(spots, time))
    for run in range(first, RUN, 43200):
        await site.rankings.add(rows_of_run(MODELS, run, spots))
    first_hours, near, middle, far = (await site.rankings.of(spots.stations[0].id)).buckets
    assert min(first_hours.n, near.n) > FEWEST // 2
    # The runs of ICON-D2-RUC end after 14 hours.
    assert "icon-d2-ruc" in {row.model for row in first_hours.rows}
    order = [model for model in ERRORS if model != "icon-d2-ruc"]
    assert [row.model for row in near.rows] == order
    assert [row.model for row in middle.rows][:5] == order[:5]
    assert [row.model for row in far.rows][:3] == ["icon-eu", "ecmwf", "aifs"]
    assert near.rows[0].mae_wind < middle.rows[0].mae_wind
