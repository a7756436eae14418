"""Runs from the files of a provider into the store, for every model."""

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from quartet.wind.demo.errors import forecast_at
from quartet.wind.demo.fields import CellPlace, coordinates_of, place_of
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.reading import StoredRun
from quartet.wind.grid.weather import wind_of
from quartet.wind.models.types import Model
from tests.wind.conftest import Station
from tests.wind.upstream import EACH_MODEL, HOUR, RUN, Provider, publish, short

KNOTS = 1 / 0.514444
WITHOUT_GUSTS = ("aicon", "aifs")


@pytest.mark.anyio
@pytest.mark.parametrize("model_id", EACH_MODEL)
async def test_each_model_is_served_as_published(
    model_id: str, station: Station, served: Provider
) -> None:
    model = short(model_id, (0, 3, 6) if model_id == "ecmwf" else (0, 1, 2, 7))
    publish(served.folder, model)
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert station.catalogue.newest(model.id) is stored
    assert stored.times == [RUN + step * HOUR for step in model.steps(0)]
    assert not stored.header.partial
    lat, lon = point_of(place_of(model_id, "tiny"))
    check_point(model, stored, lat, lon)


def point_of(place: Grid | CellPlace) -> tuple[float, float]:
    """A point of the grid, where nothing is interpolated."""
    lats, lons = coordinates_of(place)
    if isinstance(place, Grid):
        return float(lats[place.ny // 2]), float(lons[place.nx // 3])
    middle = place.count // 2 + 17
    return float(lats[middle]), float(lons[middle])


def check_point(model: Model, stored: StoredRun, lat: float, lon: float) -> None:
    sample = stored.sample(lat, lon)
    assert sample is not None
    u, v, gust = sample
    for index, step in enumerate(model.steps(0)):
        said = forecast_at(model.id, RUN, np.array([lat]), np.array([lon]), RUN + step * HOUR)
        assert u[index] == pytest.approx(said.u[0] * KNOTS, abs=0.05)
        assert v[index] == pytest.approx(said.v[0] * KNOTS, abs=0.05)
        if step and model.id not in WITHOUT_GUSTS:
            assert gust[index] == pytest.approx(said.gust[0] * KNOTS, abs=0.05)


@pytest.mark.anyio
async def test_cells_of_global_grid_are_interpolated_at_their_place(
    station: Station, served: Provider
) -> None:
    model = short("icon", (0, 1))
    publish(served.folder, model)
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert stored.header.grid.wraps
    sample = stored.sample(10.0, 20.0)
    assert sample is not None
    said = forecast_at("icon", RUN, np.array([10.0]), np.array([20.0]), RUN + HOUR)
    # The cells of this small demo are four degrees apart.
    assert sample[0, 1] == pytest.approx(said.u[0] * KNOTS, abs=8)
    again = await station.ingest_of(model).ingest_run(model, RUN)
    assert np.array_equal(again.field(1), stored.field(1))
    asked = [path for path in served.asked if "CLAT" in path]
    assert len(asked) == 1, "the mesh is built once"


@pytest.mark.anyio
@pytest.mark.parametrize("left", [0.0, 0.5, None], ids=["nothing", "half", "zeros"])
async def test_mesh_damaged_by_power_cut_is_built_again(
    left: float | None, station: Station, served: Provider
) -> None:
    model = short("icon", (0, 1))
    publish(served.folder, model)
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    (table,) = station.catalogue.folder.glob("*.mesh")
    whole = table.read_bytes()
    # A new file: the old one is still mapped by the run that is being served.
    table.unlink()
    table.write_bytes(bytes(len(whole)) if left is None else whole[: int(left * len(whole))])
    again = await station.ingest_of(model).ingest_run(model, RUN)
    assert np.array_equal(again.field(1), stored.field(1))
    assert table.read_bytes() == whole


@pytest.mark.anyio
@pytest.mark.parametrize("model_id", EACH_MODEL)
async def test_gust_is_never_below_mean_wind_and_missing_at_step_0(
    model_id: str, station: Station, served: Provider
) -> None:
    model = short(model_id, (0, 3))
    publish(served.folder, model)
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    for lat, lon in ((50.0, 3.0), (54.31, 10.13), (44.7, 7.77)):
        sample = stored.sample(lat, lon)
        assert sample is not None
        wind = wind_of(sample)
        # Only GFS has gusts at step 0.
        assert np.isnan(wind.gust[0]) == (model_id != "gfs")
        assert model_id in WITHOUT_GUSTS or wind.gust[1] >= wind.wind[1]


@pytest.mark.anyio
async def test_run_is_fetched_while_it_appears(station: Station, served: Provider) -> None:
    # A long span: the clock of the test runs fast while the workers are busy.
    model = replace(short("icon-eu"), span=10**7)
    ingest = station.ingest_of(model)
    halfway: list[int] = []

    def appear() -> None:
        incoming = ingest.state(model.id).incoming
        assert incoming is not None
        halfway.append(incoming.done)
        assert station.catalogue.newest(model.id) is None
        if station.clock.naps == 3:
            publish(served.folder, short("icon-eu", (0, 1)))
        if incoming.done == 2:
            publish(served.folder, model)

    station.clock.on_nap = appear
    stored = await ingest.ingest_run(model, RUN)
    assert 0 in halfway and 2 in halfway
    assert len(stored.times) == 4
    assert ingest.state(model.id).incoming is None
    assert ingest.state(model.id).last_success == station.clock.now


@pytest.mark.anyio
async def test_only_a_due_and_new_run_is_fetched(station: Station, served: Provider) -> None:
    model = short("icon-d2")
    ingest = station.ingest_of(model)
    publish(served.folder, model)
    await ingest.look(model)
    newest = station.catalogue.newest(model.id)
    assert newest is not None and newest.run == RUN
    asked = len(served.asked)
    await ingest.look(model)
    assert len(served.asked) == asked
    assert ingest.due(model) == RUN
    station.clock.now = RUN + 3 * HOUR + model.delay
    assert ingest.due(model) == RUN + 3 * HOUR


@pytest.mark.anyio
@pytest.mark.parametrize("model_id", ["icon-d2", "arpege"])
async def test_restart_in_the_middle_of_a_run_fetches_nothing_twice(
    model_id: str, station: Station, served: Provider
) -> None:
    model = short(model_id, (0, 1, 2, 3, 13, 14))
    publish(served.folder, model)
    last = next(served.folder.rglob("*U_10M/**/PT014H00M.grib2"), None)
    last = last or next(served.folder.rglob("*013H024H*.grib2"))
    content = last.read_bytes()
    last.unlink()
    # The first process ends while it waits for the last file.
    waiting = asyncio.Event()
    station.clock.on_nap = waiting.set
    fetching = asyncio.create_task(station.ingest_of(model).ingest_run(model, RUN))
    await waiting.wait()
    fetching.cancel()
    with suppress(asyncio.CancelledError):
        await fetching
    last.write_bytes(content)
    # A power cut may leave a step without its content.
    catalogue = Catalogue(station.catalogue.folder)
    (folder,) = (station.catalogue.folder / model.id).glob(".unfinished-*")
    (folder / "1.step").write_bytes(b"")
    ingest = station.ingest_of(model)
    stored = await ingest.ingest_run(model, RUN)
    assert stored.header.steps == (0, 1, 2, 3, 13, 14) and not stored.header.partial
    assert not catalogue.runs(model.id), "an unfinished run is not served"
    twice = [path for path, count in Counter(served.files).items() if count > 1]
    assert all("PT001H00M" in path or "000H012H" in path for path in twice)
    whole = await station.ingest_of(model).ingest_run(model, RUN)
    assert np.array_equal(stored.field(1), whole.field(1))


@pytest.mark.anyio
async def test_restart_finds_stored_runs(station: Station, served: Provider) -> None:
    model = short("gfs")
    publish(served.folder, model)
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    again = Catalogue(station.catalogue.folder).newest("gfs")
    assert again is not None and again.header == stored.header
    assert np.array_equal(again.field(2), stored.field(2))
