"""The store returns what was written: at points, between points and as whole fields."""

import gc
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.wind.alerts.hourly import read_hourly
from quartet.wind.grid import writing
from quartet.wind.grid.arrays import Floats, Int16s
from quartet.wind.grid.catalogue import KEPT_RUNS, Catalogue
from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.grid.layout import NO_DATA, Header
from quartet.wind.grid.reading import StoredRun
from quartet.wind.grid.weather import wind_of
from tests.wind.runs import finished_run

Stored = dict[Grid, tuple[Int16s, StoredRun]]

EUROPE = Grid(-3.94, 43.18, 0.5, 0.25, 11, 9)
WORLD = Grid(-180.0, -90.0, 15.0, 10.0, 24, 19)


def random_numbers(grid: Grid, steps: int, seed: int = 1) -> Int16s:
    random = np.random.default_rng(seed)
    return random.integers(-9000, 9000, (steps, 3, grid.points), dtype=np.int16)


def reference(grid: Grid, numbers: Int16s, lat: float, lon: float) -> Floats:
    """Interpolate along latitudes, then along longitudes, with numpy."""
    fields = numbers.reshape(len(numbers), 3, grid.ny, grid.nx).astype(np.float64) / 100
    rows = grid.south + grid.step_y * np.arange(grid.ny)
    columns = grid.west + grid.step_x * np.arange(grid.nx)
    if grid.wraps:
        fields = np.concatenate([fields, fields[..., :1]], axis=-1)
        columns = np.append(columns, columns[0] + 360)
    found = np.empty((3, len(numbers)), np.float32)
    for step, channel in np.ndindex(len(numbers), 3):
        along = [np.interp(lon, columns, row) for row in fields[step, channel]]
        found[channel, step] = np.interp(lat, rows, along)
    return found


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Stored:
    folder = tmp_path_factory.mktemp("grids")
    runs = {}
    for number, grid in enumerate((EUROPE, WORLD)):
        numbers = random_numbers(grid, 11)
        runs[grid] = numbers, StoredRun(finished_run(folder, grid, numbers, run=number))
    return runs


@given(st.data())
def test_values_between_points_are_bilinear(stored: Stored, data: st.DataObject) -> None:
    grid = data.draw(st.sampled_from([EUROPE, WORLD]))
    area = grid.area
    lat = data.draw(st.floats(area.s, area.n))
    lon = data.draw(st.floats(area.w, area.e))
    numbers, run = stored[grid]
    sample = run.sample(lat, lon)
    assert sample is not None
    assert np.allclose(sample, reference(grid, numbers, lat, lon), atol=0.01)


def test_points_and_fields_have_the_same_numbers(
    stored: Stored,
) -> None:
    for grid, (numbers, run) in stored.items():
        for step in range(11):
            assert np.array_equal(run.field(step).reshape(3, -1), numbers[step])
        for row, column in ((0, 0), (grid.ny - 1, grid.nx - 1), (3, 5)):
            lat = round(grid.south + row * grid.step_y, 2)
            lon = round(grid.west + column * grid.step_x, 2)
            sample = run.sample(lat, lon)
            assert sample is not None
            expected = numbers[:, :, row * grid.nx + column].T / 100
            assert np.allclose(sample, expected, atol=1e-3)


def test_interpolation_works_across_the_date_line(stored: Stored) -> None:
    _, run = stored[WORLD]
    west, east = run.sample(5.0, -180.0), run.sample(5.0, 180.0)
    assert west is not None and east is not None
    assert np.array_equal(west, east)


@pytest.mark.parametrize("place", [(43.17, 0.0), (45.19, 0.0), (44.0, -3.95), (44.0, 1.07)])
def test_place_outside_of_grid_has_no_sample(place: tuple[float, float], stored: Stored) -> None:
    assert stored[EUROPE][1].sample(*place) is None


def test_missing_neighbour_matters_only_with_a_weight(tmp_path: Path) -> None:
    numbers = random_numbers(EUROPE, 2)
    numbers[1, :, 12] = NO_DATA  # second row, second column
    run = StoredRun(finished_run(tmp_path, EUROPE, numbers))
    outside, on_edge = run.sample(43.3, -3.6), run.sample(43.18, -3.6)
    assert outside is not None and on_edge is not None
    assert np.isnan(outside[:, 1]).all() and not np.isnan(outside[:, 0]).any()
    assert not np.isnan(on_edge).any()


@pytest.mark.parametrize(
    ("u", "v", "degrees"), [(0, -10, 0), (-10, 0, 90), (0, 10, 180), (10, 0, 270), (7, 7, 225)]
)
def test_direction_is_where_the_wind_comes_from(u: float, v: float, degrees: int) -> None:
    wind = wind_of(np.array([[u], [v], [1.0]], np.float32))
    assert wind.direction[0] % 360 == degrees
    assert wind.gust[0] == wind.wind[0] == round(float(np.hypot(u, v)) * 10)


@given(st.integers(0, 2**32 - 1))
def test_interpolated_gust_is_never_below_the_mean_wind(seed: int) -> None:
    random = np.random.default_rng(seed)
    corners = random.normal(0, 900, (2, 4)).round()
    gust = np.ceil(np.hypot(*corners))
    weights = random.dirichlet(np.ones(4))
    sample = np.vstack([corners, gust]) @ weights / 100
    wind = wind_of(sample.astype(np.float32)[:, None])
    assert wind.gust[0] >= wind.wind[0]


def test_unfinished_run_is_invisible_and_deleted_once_it_is_old(tmp_path: Path) -> None:
    finished_run(tmp_path, EUROPE, random_numbers(EUROPE, 1), run=1)
    unfinished = writing.begin(tmp_path, Header("icon-eu", 2, (0, 1), EUROPE, 2))
    catalogue = Catalogue(tmp_path)
    assert [run.run for run in catalogue.runs("icon-eu")] == [1]
    assert unfinished.exists(), "it is continued after a restart"
    yesterday = time.time() - 86400
    os.utime(unfinished / "run.json", (yesterday, yesterday))
    Catalogue(tmp_path)
    assert not unfinished.exists()


def test_old_runs_are_deleted(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path)
    for run in (3600, 7200, 10800, 14400):
        catalogue.add(finished_run(tmp_path, EUROPE, random_numbers(EUROPE, 1), run=run))
    assert [each.run for each in catalogue.runs("icon-eu")] == [14400, 10800]
    assert len(list((tmp_path / "icon-eu").iterdir())) == KEPT_RUNS
    assert catalogue.run("icon-eu", 10800) and catalogue.run("icon-eu", 3600) is None


def test_runs_of_several_models_can_be_added_concurrently(tmp_path: Path) -> None:
    one = random_numbers(EUROPE, 1)
    models = [f"model-{number}" for number in range(10, 50)]
    folders = [finished_run(tmp_path, EUROPE, one, model=model, run=1) for model in models]
    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            for _ in range(25):
                catalogue = Catalogue(tmp_path / "elsewhere")
                list(threads.map(catalogue.add, folders))
                assert sorted(catalogue.newest_runs) == models
    finally:
        sys.setswitchinterval(switching)


def test_removed_run_stays_readable_until_its_readers_are_done(
    tmp_path: Path,
) -> None:
    catalogue = Catalogue(tmp_path)
    numbers = random_numbers(EUROPE, 9)
    run = catalogue.add(finished_run(tmp_path, EUROPE, numbers, run=1))
    catalogue.remove("icon-eu", 1)
    assert not run.folder.exists()
    hourly = read_hourly(run, np.array([44.0]), np.array([0.0]), 3600, 6)
    assert not np.isnan(hourly.wind).any()

    def is_open() -> bool:
        held = Path("/proc/self/fd").iterdir()
        return any(str(tmp_path) in str(each.readlink()) for each in held if each.is_symlink())

    assert is_open()
    del run, hourly
    gc.collect()
    assert not is_open()


@pytest.mark.parametrize("name", ["run.json", "values.i16"])
def test_damaged_run_does_not_prevent_the_start(tmp_path: Path, name: str) -> None:
    finished_run(tmp_path, EUROPE, random_numbers(EUROPE, 1), run=1)
    spoilt = finished_run(tmp_path, EUROPE, random_numbers(EUROPE, 1), run=2)
    (spoilt / name).write_bytes(b"{}")
    assert [run.run for run in Catalogue(tmp_path).runs("icon-eu")] == [1]


def test_grid_reports_its_area() -> None:
    assert EUROPE.area == Area(-3.94, 43.18, 1.06, 45.18)
    assert WORLD.wraps and WORLD.area == Area(-180, -90, 180, 90)
