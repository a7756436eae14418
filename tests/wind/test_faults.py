"""Whatever a provider does wrong, what is served stays whole and the run before stays there."""

import asyncio
import bz2
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from aiohttp import web

from quartet.kernel.errors import AppError
from quartet.wind.demo.gribs import Subject, message
from quartet.wind.demo.mirror import DWD, U
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.reading import StoredRun
from quartet.wind.models.types import Model
from tests.wind.conftest import Station
from tests.wind.upstream import HOUR, RUN, Fault, Provider, publish, short

NEXT = RUN + 3 * HOUR
GRID = Grid(-3.94, 43.18, 0.5, 0.5, 49, 30)
# The file in which everything goes wrong.
END = "_002_2d_u_10m.grib2.bz2"


def answering(body: bytes, status: int = 200) -> Fault:
    async def fault(_request: web.Request) -> web.StreamResponse:
        return web.Response(body=body, status=status)

    return fault


def grib(
    subject: Subject = U, grid: Grid = GRID, run: int = NEXT, step: int = 2, value: float = 5.0
) -> bytes:
    field = np.full(grid.points, value)
    field[0] = 1.0
    return bz2.compress(message(DWD, subject, grid, (run, step), field))


def huge() -> bytes:
    """A constant field takes no room, however many points it claims to have."""
    raw = bytearray(message(DWD, U, GRID, (NEXT, 2), np.full(GRID.points, 5.0)))
    section = raw.index(struct.pack(">I", GRID.points))
    raw[section : section + 4] = struct.pack(">I", 2**31)
    return bz2.compress(bytes(raw))


def endless() -> bytes:
    """A large constant field, a hundred thousand times."""
    grid = Grid(-3.94, 43.18, 0.005, 0.005, 2800, 2800)
    raw = message(DWD, U, grid, (NEXT, 2), np.full(grid.points, 5.0))
    body = raw[16:-4] + raw[-9:-4] * 100_000 + b"7777"
    return bz2.compress(raw[:8] + struct.pack(">Q", 16 + len(body)) + body)


FAULTS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "half a file": ("truncated", lambda: grib()[:-200]),
    "half a message": ("truncated", lambda: bz2.compress(bz2.decompress(grib())[:-50])),
    "a web page": ("not_grib", lambda: b"<html>come back later</html>"),
    "a packed web page": ("not_grib", lambda: bz2.compress(b"<html>later</html>")),
    "nothing": ("truncated", lambda: b""),
    "another day": ("wrong_run", lambda: grib(run=NEXT - 24 * HOUR)),
    "a bomb": ("too_large", lambda: bz2.compress(bytes(70 * 1024 * 1024))),
    "billions of points": ("too_large", huge),
    "endless streams": ("too_large", lambda: bz2.compress(b"") * 40_000 + grib()),
    "endless fields": ("too_large", endless),
    "another grid": ("wrong_grid", lambda: grib(grid=replace_grid(nx=48))),
    "another place": ("wrong_grid", lambda: grib(grid=replace_grid(west=-100.0))),
    "another parameter": ("missing_field", lambda: grib(Subject((0, 0, 0), 2))),
    "another height": ("missing_field", lambda: grib(Subject((0, 2, 2), 100))),
    "another step": ("missing_field", lambda: grib(step=3)),
    "a storm of another world": ("implausible", lambda: grib(value=400.0)),
}


def replace_grid(nx: int = GRID.nx, west: float = GRID.west) -> Grid:
    return Grid(west, GRID.south, GRID.step_x, GRID.step_y, nx, GRID.ny)


@pytest.mark.anyio
@pytest.mark.parametrize("name", FAULTS)
async def test_a_bad_file_is_asked_for_again(name: str, station: Station, served: Provider) -> None:
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
async def test_hours_without_a_file_end_in_giving_up(station: Station, served: Provider) -> None:
    model = await with_a_first_run(station, served)
    publish(served.folder, model, NEXT)
    served.faults[END] = answering(b"not found", 404)
    station.clock.now = NEXT + model.delay
    ingest = station.ingest_of(model)
    with pytest.raises(AppError) as error:
        await ingest.ingest_run(model, NEXT)
    assert (error.value.code, error.value.inputs["reason"]) == ("run_incomplete", "not_yet")
    assert station.clock.now > NEXT + model.delay + model.interval
    newest = station.catalogue.newest(model.id)
    assert newest is not None and newest.run == RUN
    assert ingest.state(model.id).error is not None
    assert leftovers(station) == [str(RUN)]
    # The next run, whole, is not held up by it.
    publish(served.folder, model, NEXT + 3 * HOUR)
    served.faults.clear()
    await ingest.look(model)
    assert [each.run for each in station.catalogue.runs(model.id)] == [NEXT + 3 * HOUR, RUN]


@pytest.mark.anyio
async def test_a_server_that_is_down_is_told(station: Station, served: Provider) -> None:
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
    assert station.clock.naps == 1


@pytest.mark.anyio
async def test_a_range_that_is_ignored_is_refused(station: Station, served: Provider) -> None:
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
    # Whoever still holds the old one can read on, even when its files are gone.
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
