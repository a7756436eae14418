"""The mesh between the cells of an unstructured grid, compared with scipy."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from quartet.wind.demo.fields import CellPlace, coordinates_of, place_of
from quartet.wind.grid.arrays import Doubles
from quartet.wind.grid.mesh import Mesh
from quartet.wind.ingest.meshing import build_mesh
from quartet.wind.models.refused import Refused

PLACES = 2000


def mesh_of(place: CellPlace, path: Path) -> Mesh:
    lats, lons = coordinates_of(place)
    build_mesh(lats.astype(np.float32), lons.astype(np.float32), path)
    return Mesh(path)


def cells(model: str) -> CellPlace:
    place = place_of(model, "tiny")
    assert isinstance(place, CellPlace)
    return place


@pytest.fixture(scope="module")
def europe(tmp_path_factory: pytest.TempPathFactory) -> Mesh:
    return mesh_of(cells("icon-eu"), tmp_path_factory.mktemp("mesh") / "europe.mesh")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Mesh:
    return mesh_of(cells("icon"), tmp_path_factory.mktemp("mesh") / "world.mesh")


def interpolate(
    mesh: Mesh, values: Doubles, lats: NDArray[np.floating], lons: NDArray[np.floating]
) -> Doubles:
    found = []
    for lat, lon in zip(lats.tolist(), lons.tolist(), strict=True):
        corners = mesh.corners(lat, lon)
        if corners is None:
            found.append(np.nan)
        else:
            found.append(float(np.dot(values[list(corners.points)], corners.weights)))
    return np.array(found)


def test_interpolation_equals_scipy_at_random_places(europe: Mesh) -> None:
    # Imported late, because all workers collect this file.
    from scipy.interpolate import LinearNDInterpolator  # type: ignore[import-untyped]

    random = np.random.default_rng(5)
    values = random.normal(size=europe.cells)
    lats, lons = random.uniform(31, 69, PLACES), random.uniform(-22, 61, PLACES)
    expected = LinearNDInterpolator(np.column_stack((europe.lons, europe.lats)), values)(lons, lats)
    assert not np.isnan(expected).any()
    assert np.allclose(interpolate(europe, values, lats, lons), expected, atol=1e-9)


def test_many_places_at_once_have_the_same_corners(europe: Mesh) -> None:
    lats, lons = np.array([50.0, 0.0, 60.5]), np.array([8.0, 0.0, 20.25])
    points, weights, inside = europe.corners_of(lats, lons)
    assert inside.tolist() == [True, False, True]
    single = europe.corners(60.5, 20.25)
    assert single is not None
    assert tuple(points[2]) == single.points
    assert np.allclose(weights[2], single.weights)


def test_place_on_a_cell_has_the_value_of_that_cell(europe: Mesh) -> None:
    values = np.arange(europe.cells, dtype=np.float64)
    some = np.arange(0, europe.cells, 97)
    inner = some[(np.abs(europe.lats[some] - 50) < 18) & (np.abs(europe.lons[some] - 20) < 40)]
    found = interpolate(europe, values, europe.lats[inner], europe.lons[inner])
    assert np.allclose(found, inner, atol=1e-5)


def test_place_outside_of_a_region_has_no_corners(europe: Mesh) -> None:
    for lat, lon in ((20.0, 10.0), (50.0, -40.0), (80.0, 10.0), (50.0, 100.0), (-50.0, 170.0)):
        assert europe.corners(lat, lon) is None


def wave(lats: NDArray[np.floating], lons: NDArray[np.floating]) -> Doubles:
    """Smooth on the sphere."""
    phi, lam = np.radians(lats), np.radians(lons)
    return np.asarray(np.cos(phi) * np.sin(lam) + np.sin(phi) * 0.5)


def test_world_has_neither_date_line_nor_holes(world: Mesh) -> None:
    random = np.random.default_rng(6)
    lats = np.degrees(np.arcsin(random.uniform(-1, 1, PLACES)))
    lons = random.uniform(-180, 180, PLACES)
    lons[:300] = 180 - np.abs(random.normal(0, 1, 300))
    lons[300:600] = -180 + np.abs(random.normal(0, 1, 300))
    found = interpolate(world, wave(world.lats, world.lons), lats, lons)
    assert np.abs(found - wave(lats, lons)).max() < 0.05


def test_poles_have_values(world: Mesh) -> None:
    values = wave(world.lats, world.lons)
    poles = interpolate(world, values, np.array([90.0, -90.0]), np.array([12.0, -170.0]))
    assert np.allclose(poles, [0.5, -0.5], atol=0.1)


@pytest.mark.parametrize("name", ["europe", "world"])
def test_raster_has_the_values_of_its_places(name: str, request: pytest.FixtureRequest) -> None:
    mesh: Mesh = request.getfixturevalue(name)
    values = wave(mesh.lats, mesh.lons)
    raster = (values[mesh.raster_cells] * mesh.raster_weights).sum(axis=0)
    filled = mesh.raster_weights.sum(axis=0) > 0
    assert filled.mean() > 0.9
    rows, columns = np.nonzero(filled)
    chosen = np.random.default_rng(7).choice(len(rows), 200, replace=False)
    lats = mesh.grid.south + rows[chosen] * mesh.grid.step_y
    lons = mesh.grid.west + columns[chosen] * mesh.grid.step_x
    found = interpolate(mesh, values, lats, lons)
    assert np.allclose(found, raster[rows[chosen], columns[chosen]], atol=1e-4)


@pytest.mark.parametrize("fault", ["few", "nan", "beyond", "line"])
def test_impossible_cells_are_refused(fault: str, tmp_path: Path) -> None:
    lats, lons = np.meshgrid(np.linspace(40, 50, 20), np.linspace(0, 10, 20))
    lat, lon = lats.ravel().astype(np.float32), lons.ravel().astype(np.float32)
    if fault == "few":
        lat, lon = lat[:50], lon[:50]
    if fault == "nan":
        lat[3] = np.nan
    if fault == "beyond":
        lat[3] = 91
    if fault == "line":
        lat[:] = lon
    with pytest.raises(Refused, match="wrong_grid"):
        build_mesh(lat, lon, tmp_path / "bad.mesh")
