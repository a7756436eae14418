"""Runs from a provider's files into the store, each model by its own adapter."""

from dataclasses import replace

import numpy as np
import pytest

from quartet.wind.demo.errors import forecast_at
from quartet.wind.demo.fields import place_of
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.reading import StoredRun
from quartet.wind.grid.speed import wind_of
from quartet.wind.models.catalogue import MODELS
from tests.wind.conftest import Station
from tests.wind.upstream import HOUR, RUN, Provider, publish, short

KNOTS = 1 / 0.514444


@pytest.mark.anyio
@pytest.mark.parametrize("model_id", [model.id for model in MODELS])
async def test_each_model_is_served_as_it_was_published(
    model_id: str, station: Station, served: Provider
) -> None:
    model = short(model_id, (0, 3, 6) if model_id == "ecmwf" else (0, 1, 2, 7))
    publish(served.folder, model)
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert station.catalogue.newest(model.id) is stored
    assert stored.times == [RUN + step * HOUR for step in model.steps(0)]
    place = place_of(model_id, "tiny")
    if isinstance(place, Grid):
        assert stored.header.grid == place
        check_point(model_id, stored, place)


def check_point(model_id: str, stored: StoredRun, grid: Grid) -> None:
    """A point of the grid has the very numbers that went into the file."""
    row, column = grid.ny // 2, grid.nx // 3
    lat, lon = grid.south + row * grid.step_y, grid.west + column * grid.step_x
    steps = (0, 3, 6) if model_id == "ecmwf" else (0, 1, 2, 7)
    sample = stored.sample(lat, lon)
    assert sample is not None
    u, v, gust = sample
    for index, step in enumerate(steps):
        said = forecast_at(model_id, RUN, np.array([lat]), np.array([lon]), RUN + step * HOUR)
        assert u[index] == pytest.approx(said.u[0] * KNOTS, abs=0.05)
        assert v[index] == pytest.approx(said.v[0] * KNOTS, abs=0.05)
        if step:
            assert gust[index] == pytest.approx(said.gust[0] * KNOTS, abs=0.05)


@pytest.mark.anyio
async def test_cells_of_the_icosahedron_reach_their_place(
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
    assert len(asked) == 1, "the table is made once"


@pytest.mark.anyio
@pytest.mark.parametrize("left", [0.0, 0.5, None], ids=["nothing", "half", "zeros"])
async def test_a_table_that_a_power_cut_damaged_is_made_anew(
    left: float | None, station: Station, served: Provider
) -> None:
    model = short("icon", (0, 1))
    publish(served.folder, model)
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    table = station.catalogue.folder / "icon-cells.npz"
    whole = table.read_bytes()
    table.write_bytes(bytes(len(whole)) if left is None else whole[: int(left * len(whole))])
    again = await station.ingest_of(model).ingest_run(model, RUN)
    assert np.array_equal(again.field(1), stored.field(1))
    assert table.read_bytes() == whole


@pytest.mark.anyio
@pytest.mark.parametrize("model_id", [model.id for model in MODELS])
async def test_gusts_are_never_below_the_mean_and_never_a_false_zero(
    model_id: str, station: Station, served: Provider
) -> None:
    model = short(model_id, (0, 3))
    publish(served.folder, model)
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    for lat, lon in ((50.0, 3.0), (54.31, 10.13), (44.7, 7.77)):
        sample = stored.sample(lat, lon)
        assert sample is not None
        wind = wind_of(sample)
        # Only GFS says something about the gusts of its first moment.
        assert np.isnan(wind.gust[0]) == (model_id != "gfs")
        assert wind.gust[1] >= wind.wind[1]


@pytest.mark.anyio
async def test_a_run_is_fetched_while_it_appears(station: Station, served: Provider) -> None:
    # Patient, because time flies here while the workers are busy.
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
async def test_only_what_is_due_and_new_is_fetched(station: Station, served: Provider) -> None:
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
async def test_a_start_finds_what_was_stored(station: Station, served: Provider) -> None:
    model = short("gfs")
    publish(served.folder, model)
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    again = Catalogue(station.catalogue.folder).newest("gfs")
    assert again is not None and again.header == stored.header
    assert np.array_equal(again.field(2), stored.field(2))
