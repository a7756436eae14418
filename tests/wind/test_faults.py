"""Faults of providers: a run is never mixed, and the previous run stays until it is replaced."""

import asyncio
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from aiohttp import web

from quartet.kernel.errors import AppError
from quartet.wind.demo.fields import CellPlace, place_of
from quartet.wind.demo.gribs import Subject, message
from quartet.wind.demo.mirror import DWD, U
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.reading import StoredRun
from quartet.wind.models.types import Model
from tests.wind.conftest import Station
from tests.wind.upstream import HOUR, RUN, Fault, Provider, publish, short

NEXT = RUN + 3 * HOUR
CELLS = place_of("icon-d2", "tiny")
# The file that has the fault.
END = "U_10M/r/2026-05-12T03:00/s/PT002H00M.grib2"


def answering(body: bytes, status: int = 200) -> Fault:
    async def fault(_request: web.Request) -> web.StreamResponse:
        return web.Response(body=body, status=status)

    return fault


def grib(
    subject: Subject = U,
    place: Grid | CellPlace = CELLS,
    run: int = NEXT,
    step: int = 2,
    value: float = 5.0,
) -> bytes:
    field = np.full(place.points if isinstance(place, Grid) else place.count, value)
    field[0] = 1.0
    return message(DWD, subject, place, (run, step), field)


def huge() -> bytes:
    """A constant field takes no space, however many points it claims to have."""
    assert isinstance(CELLS, CellPlace)
    raw = bytearray(message(DWD, U, CELLS, (NEXT, 2), np.full(CELLS.count, 5.0)))
    section = raw.index(struct.pack(">I", CELLS.count))
    raw[section : section + 4] = struct.pack(">I", 2**31)
    return bytes(raw)


def endless() -> bytes:
    """A large constant field, a hundred thousand times."""
    grid = Grid(-3.94, 43.18, 0.005, 0.005, 2800, 2800)
    raw = message(DWD, U, grid, (NEXT, 2), np.full(grid.points, 5.0))
    body = raw[16:-4] + raw[-9:-4] * 100_000 + b"7777"
    return raw[:8] + struct.pack(">Q", 16 + len(body)) + body


FAULTS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "half a message": ("truncated", lambda: grib()[:-50]),
    "web page": ("not_grib", lambda: b"<html>come back later</html>"),
    "empty file": ("truncated", lambda: b""),
    "another day": ("wrong_run", lambda: grib(run=NEXT - 24 * HOUR)),
    "billions of points": ("too_large", huge),
    "endless fields": ("too_large", endless),
    "another grid": ("wrong_grid", lambda: grib(place=CellPlace(48, 1400, None))),
    "regular grid": ("wrong_grid", lambda: grib(place=Grid(-3.94, 43.18, 0.5, 0.5, 48, 30))),
    "another parameter": ("missing_field", lambda: grib(Subject((0, 0, 0), 2))),
    "another height": ("missing_field", lambda: grib(Subject((0, 2, 2), 100))),
    "another step": ("missing_field", lambda: grib(step=3)),
    "impossible wind": ("implausible", lambda: grib(value=400.0)),
}


@pytest.mark.anyio
@pytest.mark.parametrize("name", FAULTS)
async def test_bad_file_is_fetched_again(name: str, station: Station, served: Provider) -> None:
    reason, content = FAULTS[name]
    model = await with_a_first_run(station, served)
    publish(served.folder, model, NEXT)
    body = await asyncio.to_thread(content)
    served.faults[END] = answering(body)
    ingest = station.ingest_of(model)
    seen: list[str] = []

    def heal() -> None:
        error = ingest.state(model.id).error
        assert error is not None and error.code == "weather_refused"
        seen.append(error.inputs["reason"])
        newest = station.catalogue.newest(model.id)
        assert newest is not None and newest.run == RUN
        served.faults.clear()

    station.clock.on_nap = heal
    stored = await ingest.ingest_run(model, NEXT)
    assert seen == [reason]
    assert station.catalogue.newest(model.id) is stored
    assert ingest.state(model.id).error is None


@pytest.mark.anyio
async def test_run_without_one_file_is_served_as_partial(
    station: Station, served: Provider
) -> None:
    model = await with_a_first_run(station, served)
    publish(served.folder, model, NEXT)
    (served.folder / "dwd" / "v1/m/icon-d2/p" / END).unlink()
    station.clock.now = NEXT + model.delay
    ingest = station.ingest_of(model)
    stored = await ingest.ingest_run(model, NEXT)
    assert (stored.header.steps, stored.header.partial) == ((0, 1), True)
    assert station.clock.now < NEXT + model.delay + model.span + model.interval
    assert [each.code for each in ingest.state(model.id).warnings] == ["run_partial"]
    files = [path for path in served.asked if path.endswith(".grib2")]
    assert len(files) == len(set(files)), "no file is fetched twice"


@pytest.mark.anyio
@pytest.mark.parametrize("model_id", ["icon-eu", "arome", "ecmwf", "gfs"])
async def test_pages_instead_of_files_are_named_when_a_run_is_given_up(
    model_id: str, station: Station, served: Provider
) -> None:
    """A server in maintenance may send its page with status 200 for everything but the listings."""
    model = short(model_id, (0, 3))
    publish(served.folder, model)
    for end in (".grib2", ".f000", ".f003"):
        served.faults[end] = answering(b"<html>come back later</html>")
    station.clock.now = RUN + model.delay
    ingest = station.ingest_of(model)
    with pytest.raises(AppError) as error:
        await ingest.ingest_run(model, RUN)
    assert error.value.code == "run_incomplete"
    assert error.value.inputs["reason"] == "weather_refused"


@pytest.mark.anyio
async def test_round_ends_when_all_files_are_bad(station: Station, served: Provider) -> None:
    steps = tuple(range(40))
    model = short("gfs", steps)
    publish(served.folder, model)
    for step in steps[1:]:
        served.faults[f".f{step:03}"] = answering(b"<html>come back later</html>")
    station.clock.now = RUN + model.delay
    ingest = station.ingest_of(model)
    asked: list[int] = []

    def count() -> None:
        asked.append(len({path for path in served.asked if not path.endswith(".idx")}))
        served.asked.clear()

    station.clock.on_nap = count
    stored = await ingest.ingest_run(model, RUN)
    assert (stored.header.steps, stored.header.partial) == ((0,), True)
    assert len(asked) > 3 and max(asked) < 30


@pytest.mark.anyio
async def test_run_that_never_comes_is_given_up(station: Station, served: Provider) -> None:
    model = await with_a_first_run(station, served)
    station.clock.now = NEXT + model.delay
    ingest = station.ingest_of(model)
    with pytest.raises(AppError) as error:
        await ingest.ingest_run(model, NEXT)
    assert (error.value.code, error.value.inputs["reason"]) == ("run_incomplete", "not_yet")
    newest = station.catalogue.newest(model.id)
    assert newest is not None and newest.run == RUN
    assert ingest.state(model.id).error is not None
    assert leftovers(station) == [str(RUN)]
    publish(served.folder, model, NEXT + 3 * HOUR)
    await ingest.look(model)
    assert [each.run for each in station.catalogue.runs(model.id)] == [NEXT + 3 * HOUR, RUN]


@pytest.mark.anyio
async def test_server_error_is_recorded(station: Station, served: Provider) -> None:
    model = await with_a_first_run(station, served)
    ingest = station.ingest_of(model)
    publish(served.folder, model, NEXT)
    served.faults[END] = answering(b"", 500)

    def heal() -> None:
        error = ingest.state(model.id).error
        assert error is not None and error.code == "bad_answer"
        served.faults.clear()

    station.clock.on_nap = heal
    await ingest.ingest_run(model, NEXT)
    assert station.clock.naps >= 1


@pytest.mark.anyio
async def test_ignored_range_is_rejected(station: Station, served: Provider) -> None:
    model = short("gfs", (0, 1))
    publish(served.folder, model)
    path = served.folder / "noaa" / model.upstream.path(RUN, 1)  # type: ignore[attr-defined]
    served.faults["f001"] = answering(path.read_bytes())
    ingest = station.ingest_of(model)

    def heal() -> None:
        error = ingest.state(model.id).error
        assert error is not None and error.inputs["reason"] == "too_large"
        served.faults.clear()

    station.clock.on_nap = heal
    await ingest.ingest_run(model, RUN)
    assert station.clock.naps >= 1


@pytest.mark.anyio
async def test_readers_never_see_a_mixed_run(station: Station, served: Provider) -> None:
    model = await with_a_first_run(station, served)
    publish(served.folder, model, NEXT)
    old = station.catalogue.newest(model.id)
    assert old is not None
    before = numbers(old)
    task = asyncio.create_task(station.ingest_of(model).ingest_run(model, NEXT))
    while not task.done():
        newest = station.catalogue.newest(model.id)
        assert newest is not None and newest.run in (RUN, NEXT)
        if newest.run == RUN:
            assert numbers(newest) == before
        await asyncio.sleep(0)
    await task
    # A reader that holds the old run can still use it after its files are deleted.
    assert numbers(old) == before


def numbers(run: StoredRun) -> bytes:
    sample = run.sample(50, 8)
    assert sample is not None
    return sample.tobytes()


async def with_a_first_run(station: Station, served: Provider) -> Model:
    model = short("icon-d2", (0, 1, 2))
    publish(served.folder, model)
    await station.ingest_of(model).ingest_run(model, RUN)
    return model


def leftovers(station: Station) -> list[str]:
    folder: Path = station.catalogue.folder / "icon-d2"
    return sorted(each.name for each in folder.iterdir())
