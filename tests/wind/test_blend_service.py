"""Best learns from stored forecasts and measurements, and every page states what it says."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from quartet.wind.alerts import store, store_history, store_messages
from quartet.wind.alerts.evaluation import Evaluation
from quartet.wind.alerts.service import minimums_of
from quartet.wind.alerts.spans import AlertSpans
from quartet.wind.blend import store as blend_store
from quartet.wind.blend.answers import BestForecasts
from quartet.wind.blend.service import Blends
from quartet.wind.demo.measurements import demo_spots, measured
from quartet.wind.demo.past_forecasts import rows_of_run
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Grid
from quartet.wind.models.catalogue import MODELS
from quartet.wind.observations.types import Measurement
from quartet.wind.outlook.service import Outlooks
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.spots.service import Spots
from quartet.wind.spots.types import NewFavorite
from tests.wind.alert_harness import alert_change
from tests.wind.runs import finished_run
from tests.wind.signed_in_users import new_account
from tests.wind.station_setup import KIEL, NOW, Site, site_at

HOUR = 3600
RUN = NOW // 86400 * 86400
FRESH = NOW // 21600 * 21600


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with site_at(tmp_path) as site:
        yield site


async def taught(site: Site, folder: Path) -> tuple[Blends, Catalogue]:
    """Return blends that know six days of the demo's weather in Kiel."""
    spots = demo_spots([await site.stations.by_slug(KIEL)])
    first = RUN - 5 * 86400
    times = range(first, NOW, HOUR)
    await site.observations.add(row for time in times for row in measured(spots, time))
    for run in range(first, RUN, 43200):
        await site.rankings.add(rows_of_run(MODELS, run, spots))
    catalogue = Catalogue(folder / "grids")
    ids = [model.id for model in MODELS if not model.id.endswith("wave")]
    blends = Blends(site.db, site.stations, catalogue, ids, site.clock)
    assert await blends.learn() == 1
    return blends, catalogue


@pytest.mark.anyio
async def test_blend_learns_every_hour_once(site: Site, tmp_path: Path) -> None:
    blends, _ = await taught(site, tmp_path)
    assert await blends.learn() == 0
    site.clock.now += HOUR
    assert await blends.learn() == 1


@pytest.mark.anyio
async def test_state_of_an_older_version_is_learnt_again(site: Site, tmp_path: Path) -> None:
    blends, _ = await taught(site, tmp_path)
    kiel = await site.stations.by_slug(KIEL)
    before = (await site.db.read(blend_store.states_of, [kiel.id]))[kiel.id]
    old = before._replace(version=before.version - 1, numbers=bytes(len(before.numbers)))
    await site.db.write(lambda tx: blend_store.save(tx.conn, [old]))
    assert await blends.learn() == 1
    assert (await site.db.read(blend_store.states_of, [kiel.id]))[kiel.id] == before


@pytest.mark.nightly
@pytest.mark.anyio
async def test_blend_fades_into_the_plain_one_away_from_stations(
    site: Site, tmp_path: Path
) -> None:
    blends, _ = await taught(site, tmp_path)
    kiel = await site.stations.by_slug(KIEL)
    at, near, far = [
        await blends.knowledge(Coordinates(kiel.lat + north, kiel.lon)) for north in (0, 0.15, 2)
    ]
    assert [each.basis for each in (at, near, far)] == ["station", "neighbours", "models"]
    assert 0.3 < near.neighbours[0].share < 0.8 and not far.neighbours
    weights = [each.learnt.coefficients.weight[0, 3] for each in (at, near, far)]
    assert weights[2].std() < 1e-6 < weights[1].std() < weights[0].std()


@pytest.mark.anyio
async def test_best_has_hours_quantiles_chances_and_an_explanation(
    site: Site, tmp_path: Path
) -> None:
    blends, catalogue = await taught(site, tmp_path)
    grid = Grid(5.0, 50.0, 1.0, 1.0, 10, 8)
    for model, knots, steps in (("icon-eu", 14, range(49)), ("gfs", 20, range(0, 73, 3))):
        numbers = np.zeros((len(steps), 3, grid.points), np.int16)
        # From the west, with gusts.
        numbers[:, 0], numbers[:, 2] = 100 * knots, 140 * knots
        run = finished_run(
            tmp_path / "grids", grid, numbers, model=model, run=FRESH, steps=tuple(steps)
        )
        catalogue.add(run)
    longest = {model.id: model.longest for model in MODELS}
    answers = BestForecasts(blends, longest, site.clock)
    kiel = await site.stations.by_slug(KIEL)
    best = await answers.at(Coordinates(kiel.lat, kiel.lon), least=12.0)
    first = NOW // HOUR * HOUR
    assert best.times == list(range(first, FRESH + 72 * HOUR + 1, HOUR))
    assert (best.basis, best.run) == ("station", FRESH)
    # Between both models, and nearer to the better one.
    assert all(11 < wind < 17 for wind in best.wind[4:24])
    assert all(
        low < half < high for low, half, high in zip(best.p10, best.p50, best.p90, strict=True)
    )
    assert set(best.direction) == {270}
    assert all(
        gust and 1.3 < gust / wind < 1.6 for gust, wind in zip(best.gust, best.wind, strict=True)
    )
    assert isinstance(best.chance, list) and min(best.chance[4:24]) > 50
    assert best.models[0].model == "icon-eu"
    assert sum(each.share for each in best.models) == 100
    assert best.stations[0].slug == KIEL
    # No jump where the shorter model ends.
    assert max(np.abs(np.diff(best.wind[4:]))) < 2

    # The next hours are pulled towards a new measurement.
    await site.observations.add([(kiel.id, Measurement(NOW - 60, best.wind[0] + 4, 270, "poi"))])
    later = await BestForecasts(blends, longest, site.clock).at(Coordinates(kiel.lat, kiel.lon))
    pulled = np.array(later.wind[:6]) - np.array(best.wind[:6])
    assert pulled[0] > pulled[1] > pulled[2] > 0 and np.abs(pulled[4:]).max() < 0.2

    nothing = await answers.at(Coordinates(0.0, 0.0))
    assert (nothing.times, nothing.basis) == ([], "models")


@pytest.mark.anyio
async def test_spot_page_and_alert_state_the_same_window_of_best(
    site: Site, tmp_path: Path
) -> None:
    grid = Grid(5.0, 50.0, 1.0, 1.0, 10, 8)
    catalogue = Catalogue(tmp_path / "grids")
    day = FRESH // 86400 * 86400 + 86400
    for model, knots in (("icon-eu", 22), ("gfs", 10)):
        numbers = np.zeros((73, 3, grid.points), np.int16)
        # Only the mean of both models is between 12 and 20 knots.
        windy = range((day - FRESH) // HOUR + 9, (day - FRESH) // HOUR + 15)
        numbers[:, 0] = 300
        numbers[windy, 0] = 100 * knots
        numbers[:, 2] = numbers[:, 0]
        catalogue.add(finished_run(tmp_path / "grids", grid, numbers, model=model, run=FRESH))
    longest = {model.id: model.longest for model in MODELS}
    blends = Blends(site.db, site.stations, catalogue, list(longest), site.clock)
    best = BestForecasts(blends, longest, site.clock)

    async def limit() -> int:
        return 10

    anna, berta = await new_account(site.db), await new_account(site.db, "berta")
    spot = await Spots(site.db, site.stations, limit).add(anna, NewFavorite("Laboe", 54.4, 10.2))
    change = alert_change(wind_min=12, wind_max=20, min_hours=3)
    await site.db.write(lambda tx: store.save(tx.conn, spot.id, change, "icon-eu"))
    other = await Spots(site.db, site.stations, limit).add(berta, NewFavorite("Kiel", 54.4, 10.2))
    await site.db.write(lambda tx: store.save(tx.conn, other.id, change, "gfs"))
    await Evaluation(site.db, catalogue, site.clock, best).evaluate_new()
    (entry,) = await site.db.read(store_history.history, anna, 10)
    window = (day + 9 * HOUR, day + 15 * HOUR)
    assert (entry.model, entry.window.start, entry.window.end) == ("best", *window)
    assert (entry.window.wind_low, entry.window.wind_high) == (16, 16)
    # All alerts are evaluated, so the messages are sent at once.
    due = await site.db.read(store_messages.due, "push", int(site.clock()), 10)
    assert {(each.model, each.user) for each in due} == {("best", anna), ("best", berta)}

    outlooks = Outlooks(
        site.db, catalogue, longest, site.rankings, minimums_of(site.db), site.clock, best
    )
    outlooks.alert_spans = AlertSpans(site.db, catalogue, best, site.clock).of
    (shown,) = (await outlooks.of(anna)).spots
    assert [(each.start, each.end) for each in shown.windows] == [window]
    assert (shown.windows[0].model, shown.windows[0].wind_mean) == ("best", 16.0)
    (good,) = [day for day in shown.days if any(day.good)]
    inside = [time for time, each in zip(good.times, good.good, strict=True) if each]
    assert (inside[0], inside[-1] + HOUR) == window and 4.8 < good.score < 5.7
    assert shown.windows[0].chance is not None and 80 < shown.windows[0].chance < 95

    async def spans(**conditions: object) -> list[tuple[int, int]]:
        changed = alert_change(min_hours=3, **conditions)
        await site.db.write(lambda tx: store.save(tx.conn, spot.id, changed, "icon-eu"))
        return (await AlertSpans(site.db, catalogue, best, site.clock).of(anna))[spot.id]

    # Certainly more than 12 knots is too much to ask; 17 are possible.
    assert await spans(wind_min=12, wind_max=None, chance_min=95) == []
    assert await spans(wind_min=17, wind_max=None) == []
    assert await spans(wind_min=17, wind_max=None, chance_min=30) == [window]
