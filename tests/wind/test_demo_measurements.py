"""With the demo every page of a station has content."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.kernel.errors import AppError
from quartet.wind.demo.archive import DemoArchive
from quartet.wind.demo.measurements import DAYS, DemoMeasurements
from quartet.wind.observations.sources import Sources
from quartet.wind.observations.tasks import fetching_loops
from quartet.wind.stats.service import Statistics
from quartet.wind.stats.types import Ready
from tests.wind.station_setup import LIGHTHOUSE, NOW, Site, site_at

pytestmark = pytest.mark.anyio

HAMBURG = "hamburg-airport-eddh"


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with site_at(tmp_path) as site:
        yield site


async def test_measurements_continue_and_have_a_history(site: Site) -> None:
    demo = DemoMeasurements(site.stations, site.observations, site.clock)
    await demo.measure()
    live = await site.observations.live(HAMBURG)
    assert live.station.live and live.latest is not None
    assert NOW - live.latest.time < 600 and 0 <= live.latest.wind < 80
    assert 140 <= len(live.recent) <= 145
    assert live.taf is not None and len(live.taf.spans) == 5
    past = await site.observations.history(LIGHTHOUSE, [str(NOW - DAYS * 86400)], [str(NOW)])
    assert len(past.times) > (DAYS - 1) * 24
    site.clock.now += 1200
    await demo.measure()
    later = await site.observations.live(HAMBURG)
    assert later.latest is not None and later.latest.time - live.latest.time == 1200


async def test_statistics_are_there_after_a_moment(site: Site) -> None:
    statistics = Statistics(site.db, site.stations, DemoArchive(), site.clock)
    await statistics.of(LIGHTHOUSE, "visitor")
    await statistics.work()
    ready = await statistics.of(LIGHTHOUSE, "visitor")
    assert isinstance(ready, Ready) and len(ready.years) == 10
    assert all(month.n > 400 and 3 < month.mean < 40 for month in ready.months)
    # Afternoons are windier than nights.
    assert ready.hours[15].mean > ready.hours[3].mean


class Failing(Sources):
    def __init__(self) -> None:
        pass

    async def metars(self) -> int:
        raise AppError(502, "report_unreadable")


async def test_failing_source_is_reported_and_does_not_end_its_task(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quartet.wind.observations.tasks._FIRST_SECONDS", 0)
    loops = fetching_loops(site.stations, site.observations, Failing())
    await loops[0].run()
    (state,) = site.observations.sources()
    assert state.error is not None and state.error.code == "report_unreadable"
    assert state.last_try is not None and state.last_success is None
