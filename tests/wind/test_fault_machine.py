"""Faults of the machine and of whole servers: full disks, wrong clocks, dead and moved trees."""

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aiohttp import web

from quartet.kernel.errors import AppError
from quartet.wind.grid.writing import replacing
from quartet.wind.ingest import jobs
from quartet.wind.ingest.arrival import EXTRAS_SECONDS
from quartet.wind.ingest.readers import FolderReader
from quartet.wind.ingest.run_files import STALL_SECONDS
from quartet.wind.ingest.service import DISK_PAUSE_SECONDS, Ingest
from quartet.wind.ingest.workers import Workers
from tests.wind.conftest import Station
from tests.wind.test_faults import NEXT, answering, with_a_first_run
from tests.wind.upstream import HOUR, RUN, Provider, publish, short


@dataclass
class FailingDisk(Workers):
    """Workers whose jobs of one kind fail as on a disk with that error."""

    real: Workers
    job: Callable[..., Any]
    code: int

    @property
    def count(self) -> int:  # type: ignore[override]
        return self.real.count

    async def run(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if work is self.job:
            raise OSError(self.code, os.strerror(self.code))
        return await self.real.run(work, *args, **kwargs)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("job", "code", "shown"),
    [
        (jobs.build_mesh, errno.ENOSPC, "disk_full"),
        (jobs.write_land, errno.ENOSPC, "disk_full"),
        (jobs.store, errno.EDQUOT, "disk_full"),
        (jobs.assemble, errno.EROFS, "disk_failed"),
    ],
)
async def test_failing_disk_is_shown_and_tried_again_later(
    job: Callable[..., Any], code: int, shown: str, station: Station, served: Provider
) -> None:
    model = short("icon-d2", (0, 1, 2))
    publish(served.folder, model)
    station.clock.now = RUN + model.delay + model.span
    ingest = station.ingest_of(model)
    tools = ingest.tools
    ingest.tools = replace(tools, workers=FailingDisk(tools.workers, job, code))
    await ingest.look(model)
    error = ingest.state(model.id).error
    assert error is not None and error.code == shown
    assert not list(station.catalogue.folder.glob("icon-d2/.unfinished-*"))
    await looks_without_requests(ingest, station, served)
    ingest.tools = tools
    station.clock.now += DISK_PAUSE_SECONDS
    await ingest.look(model)
    assert [each.run for each in station.catalogue.runs(model.id)] == [RUN]
    assert ingest.state(model.id).error is None


async def looks_without_requests(ingest: Ingest, station: Station, served: Provider) -> None:
    asked = len(served.asked)
    for _ in range(3):
        station.clock.now += 60
        await ingest.look(ingest.known[0])
    assert len(served.asked) == asked


def test_file_that_does_not_fit_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "47.mesh"
    path.with_suffix(".part").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"), replacing(path, ".part") as part:
        part.write_bytes(b"mesh")
    assert not list(tmp_path.iterdir())


@pytest.mark.anyio
async def test_clock_that_was_ahead_loses_no_run(station: Station, served: Provider) -> None:
    """While it is six hours ahead, a run is looked for that does not exist yet."""
    model = short("icon-d2", (0, 1, 2))
    publish(served.folder, model)
    right = RUN + model.delay + model.span
    station.clock.now = right + 6 * HOUR

    def set_right() -> None:
        if station.clock.naps == 3:
            station.clock.now -= 6 * HOUR

    station.clock.on_nap = set_right
    ingest = station.ingest_of(model)
    await ingest.look(model)
    assert station.clock.now < right + HOUR
    await ingest.look(model)
    assert [each.run for each in station.catalogue.runs(model.id)] == [RUN]
    publish(served.folder, model, RUN + 6 * HOUR)
    station.clock.now = right + 6 * HOUR
    await ingest.look(model)
    assert station.catalogue.runs(model.id)[0].run == RUN + 6 * HOUR


@pytest.mark.anyio
async def test_run_that_a_wrong_clock_gave_up_is_fetched_at_its_time(
    station: Station, served: Provider
) -> None:
    model = await with_a_first_run(station, served)
    station.clock.now = NEXT + model.delay
    ingest = station.ingest_of(model)
    await ingest.look(model)
    assert ingest.state(model.id).error is not None, "it did not come until the next one was due"
    station.clock.now = RUN + model.delay + HOUR
    await ingest.look(model)
    publish(served.folder, model, NEXT)
    station.clock.now = NEXT + model.delay + model.span
    await ingest.look(model)
    assert station.catalogue.runs(model.id)[0].run == NEXT


@pytest.mark.anyio
async def test_lateness_by_a_wrong_clock_is_forgotten(station: Station, served: Provider) -> None:
    model = await with_a_first_run(station, served)
    ingest = station.ingest_of(model)
    right, station.clock.now = station.clock.now, RUN + 48 * HOUR
    await ingest.look(model)
    assert "source_overdue" in [each.code for each in ingest.state(model.id).warnings]
    station.clock.now = right
    await ingest.look(model)
    assert ingest.state(model.id).warnings == []


@pytest.mark.anyio
async def test_clock_set_back_does_not_make_a_provider_look_busy(
    station: Station, served: Provider
) -> None:
    """A run that stops growing is served after its usual time, not hours later."""
    model = await with_a_first_run(station, served)
    publish(served.folder, model, NEXT)
    (served.folder / "dwd/v1/m/icon-d2/p/V_10M/r/2026-05-12T03:00/s/PT002H00M.grib2").unlink()
    station.clock.now = NEXT + model.delay + 2 * HOUR

    def set_right() -> None:
        if station.clock.naps == 1:
            station.clock.now -= 2 * HOUR

    station.clock.on_nap = set_right
    stored = await station.ingest_of(model).ingest_run(model, NEXT)
    assert stored.header.partial
    assert station.clock.now < NEXT + model.delay + model.span + HOUR


@pytest.mark.anyio
@pytest.mark.parametrize("source", ["server", "folder"])
async def test_clock_set_ahead_in_the_middle_of_a_run_does_not_end_it(
    source: str, station: Station, served: Provider
) -> None:
    """Later files come after a pause that is longer than a run may stop growing."""
    model = short("icon-d2", (0, 1, 2, 3))
    publish(served.folder, short("icon-d2", (0, 1)))
    right = station.clock.now = RUN + model.delay + 5 * 60
    served.clock = lambda: right + station.clock.elapsed

    def appear() -> None:
        if station.clock.naps == 1:
            station.clock.now += 12 * HOUR
        if station.clock.elapsed > STALL_SECONDS + 10 * 60:
            publish(served.folder, model)

    station.clock.on_nap = appear
    ingest = station.ingest_of(model)
    if source == "folder":
        readers = {model.provider: FolderReader(served.folder / model.provider)}
        ingest.tools = replace(ingest.tools, readers=readers)
    stored = await ingest.ingest_run(model, RUN)
    assert stored.header.steps == (0, 1, 2, 3) and not stored.header.partial


@pytest.mark.anyio
async def test_clock_set_back_for_good_does_not_keep_a_run_from_being_served(
    station: Station, served: Provider
) -> None:
    model = short("icon-d2", (0, 1, 2))
    publish(served.folder, short("icon-d2", (0, 1)))
    station.clock.now = RUN + model.delay
    station.clock.on_nap = lambda: setattr(station.clock, "now", RUN + 60.0)
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert stored.header.partial
    assert station.clock.elapsed < model.span + 2 * STALL_SECONDS


@pytest.mark.anyio
async def test_connection_that_is_lost_in_the_middle_of_a_run_does_not_end_it(
    station: Station, served: Provider
) -> None:
    model = short("icon-d2", (0, 1, 2))
    publish(served.folder, short("icon-d2", (0, 1)))
    station.clock.now = RUN + model.delay

    def lose_and_return() -> None:
        served.faults[""] = answering(b"", 502)
        if station.clock.elapsed > model.span + 2 * STALL_SECONDS:
            served.faults.clear()
            publish(served.folder, model)

    station.clock.on_nap = lose_and_return
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert stored.header.steps == (0, 1, 2) and not stored.header.partial


@pytest.mark.anyio
async def test_server_that_is_lost_for_good_leaves_the_run_as_it_is(
    station: Station, served: Provider
) -> None:
    model = short("icon-d2", (0, 1, 2))
    publish(served.folder, short("icon-d2", (0, 1)))
    station.clock.now = RUN + model.delay
    station.clock.on_nap = lambda: served.faults.update({"": answering(b"", 502)})
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert stored.header.steps == (0, 1) and stored.header.partial
    assert station.clock.elapsed <= model.span + model.interval


@pytest.mark.anyio
async def test_gusts_and_weather_that_come_one_by_one_are_waited_for(
    station: Station, served: Provider
) -> None:
    """Together they take longer than a step waits for them, each by itself does not."""
    model = short("icon-d2", (0, 1))
    publish(served.folder, model)
    held_back = {}
    for parameter in ("CLCT", "PMSL", "TOT_PREC", "T_2M", "VMAX_10M"):
        (path,) = served.folder.rglob(f"{parameter}/**/PT001H00M.grib2")
        held_back[path] = path.read_bytes()
        path.unlink()
    waiting = list(held_back)

    def appear() -> None:
        if station.clock.naps % 2 == 0 and waiting:
            path = waiting.pop(0)
            path.write_bytes(held_back[path])

    station.clock.on_nap = appear
    station.clock.now = RUN + model.delay
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert station.clock.elapsed > EXTRAS_SECONDS
    sample = stored.sample(54.3, 10.1)
    assert sample is not None and np.isnan(sample[2]).tolist() == [True, False]


@pytest.mark.anyio
async def test_server_in_trouble_is_named(station: Station, served: Provider) -> None:
    model = short("icon-d2", (0, 1, 2))
    served.faults["/s/"] = answering(b"", 500)
    station.clock.now = RUN + model.delay + HOUR
    with pytest.raises(AppError) as error:
        await station.ingest_of(model).ingest_run(model, RUN)
    assert error.value.inputs["reason"] == "bad_answer"


@pytest.mark.anyio
async def test_server_that_dies_in_the_last_round_is_left_alone(
    station: Station, served: Provider
) -> None:
    model = short("icon-d2", tuple(range(49)))
    publish(served.folder, model)
    refused: list[str] = []

    async def refuse(request: web.Request) -> web.StreamResponse:
        refused.append(request.path)
        return web.Response(status=500)

    for step in range(4, 49):
        served.faults[f"PT{step:03}H00M.grib2"] = refuse
    station.clock.now = RUN + model.delay + model.span + model.interval
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert stored.header.steps == (0, 1, 2, 3) and stored.header.partial
    assert len(refused) < 100


@pytest.mark.anyio
@pytest.mark.parametrize("model_id", ["icon-eu", "aicon", "icon-d2-eps"])
async def test_coordinates_of_another_run_help_out(
    model_id: str, station: Station, served: Provider
) -> None:
    model = short(model_id, (0, 3))
    later = RUN + 6 * HOUR
    for run in (RUN, later):
        publish(served.folder, model, run)
    for parameter in ("CLAT", "CLON", "FR_LAND"):
        for path in served.folder.glob(f"dwd/v1/m/*/p/{parameter}/r/2026-05-12T06:00/**/*.grib2"):
            path.unlink()
    station.clock.now = later + model.delay
    stored = await station.ingest_of(model).ingest_run(model, later)
    assert stored.header.steps == (0, 3) and stored.sample(51.0, 10.0) is not None
    assert list(station.catalogue.folder.glob("*.land"))
    constants = [path for path in served.files if "/CLAT/" in path]
    assert len(constants) == 1


@pytest.mark.anyio
async def test_control_run_of_ecmwf_is_a_member_and_gives_the_land_mask(
    station: Station, served: Provider
) -> None:
    """Since cycle 50r1 it is in the stream of the model itself."""
    model = short("ecmwf-ens", (0, 3))
    publish(served.folder, model)
    (index,) = served.folder.rglob("*-3h-enfo-ef.index")
    assert b'"type":"cf"' not in index.read_bytes()
    station.clock.now = RUN + model.delay
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert stored.header.steps == (0, 3) and station.clock.naps == 0
    assert list(station.catalogue.folder.glob("*.land"))
    assert [path for path in served.files if "-3h-oper-fc.grib2" in path]
