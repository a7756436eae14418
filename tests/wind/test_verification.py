"""Forecasts as issued, and how they are compared with what was measured."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from quartet.kernel.errors import AppError
from quartet.wind.blend.answers import BestForecasts, IssuedBlend
from quartet.wind.blend.prediction import Best, ModelWinds
from quartet.wind.blend.state import PIT_BINS
from quartet.wind.demo.measurements import demo_spots, measured
from quartet.wind.demo.past_forecasts import rows_of_run
from quartet.wind.demo.past_issues import past_issues
from quartet.wind.models.catalogue import MODELS
from quartet.wind.observations.types import Measurement
from quartet.wind.verification import store
from quartet.wind.verification.issued import HOURS, pack, unpack
from quartet.wind.verification.service import Verifications
from quartet.wind.verification.sums import sums_of_day
from tests.client import Client
from tests.wind.quiet import quiet
from tests.wind.station_setup import KIEL, NOW, Site, site_at

HOUR, DAY = 3600, 86400
TODAY = NOW // DAY * DAY
ISSUED = TODAY - DAY + 6 * HOUR
SHARES = np.linspace(0, 1, PIT_BINS + 1)


def blend_of(wind: float, models: dict[str, float], first: int = ISSUED) -> IssuedBlend:
    """Return steady west wind by Best and by the models, with an error of two knots."""

    def rows(knots: list[float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        column = np.array(knots, np.float32)[:, None, None]
        return np.broadcast_to(column, (len(knots), 1, HOURS)).copy()

    winds = rows(list(models.values()))
    # The second model ends after a day.
    winds[1:, :, 25:] = np.nan
    lead = np.zeros((len(models), HOURS), np.float32)
    told = ModelWinds(first, winds, 0 * winds, winds, lead, lead)
    mean = np.full((1, HOURS), wind, np.float32)
    best = Best(first, mean, mean, mean, 0 * mean, np.full_like(mean, 2), winds)
    return IssuedBlend(told, best, SHARES)


class Fixed:
    """Stands for Best with known forecasts."""

    models = ["icon-eu", "icon-d2"]

    def __init__(self) -> None:
        self.wind = 12.0

    async def issued(self, _lat: float, _lon: float, first: int) -> IssuedBlend:
        return blend_of(self.wind, {"icon-eu": 10.0, "icon-d2": 15.0}, first)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with site_at(tmp_path) as site:
        yield site


def verifications(site: Site, best: Fixed | None = None) -> Verifications:
    told = cast(BestForecasts, best or Fixed())
    return Verifications(site.db, site.stations, told, 31, site.clock)


def test_issued_hours_survive_packing() -> None:
    hours = unpack(pack(*blend_of(12.34, {"a": 10, "b": 15})))
    assert (hours.wind[0], hours.direction[0], hours.deviation[0]) == (12.3, 270, 2)
    assert np.allclose(hours.shares, SHARES, atol=1e-4)
    assert hours.models_wind[:, 24].tolist() == [10, 15]
    assert hours.models_wind[0, 25] == 10 and np.isnan(hours.models_wind[1, 25])


def test_sums_count_every_hour_once_in_its_lead_time() -> None:
    hours = unpack(pack(*blend_of(12, {"a": 10, "b": 15})))
    truth = np.full(24, 13, np.float32)
    truth[3] = np.nan
    sums = sums_of_day([(ISSUED, hours)], 2, TODAY, truth)
    # Leads of 18 to 41 hours; the measurement at a lead of 21 hours is missing.
    assert sums.errors[:, 0, 0].tolist() == [0, 6, 17, 0]
    best, first, second = sums.errors[1]
    assert best.tolist() == [6, 6, -6, 6, 6] and first.tolist() == [6, 18, -18, 54, 6]
    assert second.tolist() == [6, 12, 12, 24, 6]
    assert sums.errors[2, 2].tolist() == [0, 0, 0, 0, 0]
    # The CRPS of a normal distribution, one knot of two off; the clipped tails are left out.
    assert sums.crps[1] / 6 == pytest.approx(0.66, abs=0.03)
    ten, fifteen, _ = sums.bins[1]
    assert ten[8].tolist() == pytest.approx([6, 6 * 0.847, 6], abs=0.02)
    assert fifteen[0].tolist() == pytest.approx([6, 6 * 0.07, 0], abs=0.02)


@pytest.mark.anyio
async def test_forecasts_are_stored_as_issued_and_never_replaced(site: Site) -> None:
    best = Fixed()
    service = verifications(site, best)
    site.stations.record_report(await site.id_of(KIEL), NOW - 60)
    assert await service.issue() == 0
    site.clock.now = TODAY + 6 * HOUR + 600
    site.stations.record_report(await site.id_of(KIEL), int(site.clock.now) - 60)
    assert await service.issue() == 1
    best.wind = 30.0
    assert await service.issue() == 0
    await service.add([store.Issued(await site.id_of(KIEL), TODAY + 6 * HOUR, "x", b"")])
    found = await service.archive(KIEL, [str(TODAY)], [str(TODAY + DAY)])
    (forecast,) = found.forecasts
    assert (forecast.issued, forecast.best.wind[0]) == (TODAY + 6 * HOUR, 12.0)
    assert forecast.best.p10[0] == pytest.approx(9.4, abs=0.1)
    assert forecast.models["icon-d2"].wind[24:26] == [15.0, None]
    with pytest.raises(AppError):
        await service.archive(KIEL, ["0"], [str(TODAY)])


@pytest.mark.anyio
async def test_days_are_verified_once_and_few_samples_are_named(site: Site) -> None:
    service = verifications(site)
    kiel = await site.id_of(KIEL)
    await service.add(
        [
            store.Issued(kiel, time, "icon-eu,icon-d2", pack(*blend_of(12, {"a": 10, "b": 15})))
            for time in range(TODAY - 5 * DAY + 6 * HOUR, TODAY, 12 * HOUR)
        ]
    )
    hours = range(TODAY - 5 * DAY, NOW, HOUR)
    await site.observations.add((kiel, Measurement(time, 13.0, 270, "poi")) for time in hours)
    assert await service.verify() == 5
    assert await service.verify() == 0
    found = await service.of(KIEL, 30)
    assert (found.verified, found.days, found.end) == (5, 30, TODAY)
    near, _, middle, _ = found.leads
    assert [row.model for row in near.rows] == ["best", "icon-d2", "icon-eu"]
    assert (near.rows[0].mae, near.rows[0].bias, near.rows[2].mae) == (1.0, -1.0, 3.0)
    assert near.rows[0].crps < near.rows[0].mae and near.rows[2].crps == 3.0
    # Seven hours of the last forecast are of today.
    assert near.n == 10 * 12 - 7 and near.notice is None
    assert [row.model for row in middle.rows] == ["best", "icon-eu"]
    ten = near.reliability[0]
    assert [(each.start, each.measured) for each in ten.bins] == [(80, 100.0)]
    everywhere = await service.of(None, 90)
    assert everywhere.leads[0].rows == near.rows and everywhere.station is None
    lines = (await service.csv(KIEL, 30)).splitlines()
    assert lines[0].startswith("station,from,to,lead_from,lead_to,model,n,mae")
    assert lines[1].split(",")[3:8] == ["0", "12", "best", "113", "1.0"]
    nothing = await service.of("hamburg-airport-eddh", 365)
    assert nothing.verified == 0 and nothing.leads[0].notice == "few_samples"


@pytest.mark.anyio
async def test_archive_has_pages_and_is_pruned(site: Site) -> None:
    service = verifications(site)
    kiel = await site.id_of(KIEL)
    packed = pack(*blend_of(12, {"a": 10, "b": 15}))
    times = range(TODAY - 12 * DAY + 6 * HOUR, TODAY, 12 * HOUR)
    await service.add([store.Issued(kiel, time, "icon-eu,icon-d2", packed) for time in times])
    start, end = str(TODAY - 20 * DAY), str(TODAY)
    first = await service.archive(KIEL, [start], [end])
    assert len(first.forecasts) == 20 and first.next == times[20]
    second = await service.archive(KIEL, [str(first.next)], [end])
    assert len(second.forecasts) == 4 and second.next is None
    site.clock.now += 29 * DAY
    assert await service.prune() == 22


@pytest.mark.anyio
async def test_demo_verification_only_knows_the_past(site: Site) -> None:
    spots = demo_spots([await site.stations.by_slug(KIEL)])
    first = TODAY - 8 * DAY
    await site.observations.add(
        row for time in range(first, NOW, HOUR) for row in measured(spots, time)
    )
    models = [model.id for model in MODELS if model.id in ("icon-d2", "icon-eu", "gfs")]
    chosen = tuple(model for model in MODELS if model.id in models)
    rows = [row for run in range(first, TODAY, DAY // 2) for row in rows_of_run(chosen, run, spots)]
    service = verifications(site)
    issued = past_issues(spots, models, rows, TODAY)
    early = past_issues(spots, models, [row for row in rows if row[2] < TODAY - 4 * DAY], TODAY)
    assert issued[: len(early)] == early and len(early) == 8
    await service.add(issued)
    assert await service.verify() == 8
    found = await service.of(KIEL, 30)
    best, *others = found.leads[1].rows
    assert {row.model for row in others} == set(models)
    # Its first forecasts know nothing about the models yet.
    assert best.mae < others[1].mae and best.crps < best.mae


@pytest.mark.anyio
async def test_verification_api_is_public_and_checked(tmp_path: Path) -> None:
    async with quiet(tmp_path) as client:
        await check_api(client)


async def check_api(client: Client) -> None:
    answer = await client.get("/api/verification?days=90")
    assert answer.status_code == 200 and answer.json()["days"] == 90
    assert answer.headers["cache-control"] == "public, max-age=300"
    table = await client.get("/api/verification.csv")
    assert table.headers["content-type"].startswith("text/csv")
    assert (await client.get("/api/verification?days=31")).status_code == 400
    assert (await client.get("/api/verification?station=nowhere")).status_code == 404
    assert (await client.get("/api/stations/nowhere/forecasts")).status_code == 400
