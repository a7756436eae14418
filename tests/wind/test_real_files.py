"""Files that weather services really published, with values other programs read from them.

They are not part of the repository: `QUARTET_WIND_SAMPLES` names the folder that holds them.
"""

import lzma
import os
from pathlib import Path

import numpy as np
import pytest

from quartet.wind.grid.geometry import Grid
from quartet.wind.ingest import unpacking
from quartet.wind.models.ecmwf import upstream as ecmwf
from quartet.wind.models.gfs import upstream as gfs
from quartet.wind.models.grib import Field, read_field, read_head
from quartet.wind.models.refused import Refused
from quartet.wind.models.sections import fields_of
from quartet.wind.models.types import Fetched

FOLDER = os.environ.get("QUARTET_WIND_SAMPLES")

pytestmark = pytest.mark.skipif(
    not FOLDER, reason="QUARTET_WIND_SAMPLES names no folder with real files"
)

D2 = "grib-dwd/icon-d2_germany_regular-lat-lon_single-level_2022042600_000_2d_{}_10m.grib2"
EU = "grib-dwd/icon-eu_europe_regular-lat-lon_single-level_2022042700_047_CLCT_MOD.grib2"
ICON = "grib-dwd/icon_global_icosahedral_single-level_2021112018_000_TOT_PREC.grib2"
GFS = "grib-noaa/gfs.t12z.pgrbf120.2p5deg.grib2"
RH = "grib-noaa/gfs.t18z.pgrb2.0p25.f186-RH.grib2"
WAVE = "grib-noaa/gfswave.t18z.atlocn.0p16.f001.grib2"
RAIN = "ecmwf/20250912120000-0h-oper-fc.grib2.89.xz"
SKIN = "ecmwf/template_5_42_ccsds_aec.grb2"
CLOUD = "meteofrance/meteofrance.arome-TCDC.grib2"
KERCHUNK = "kerchunk-20231104/gfs.t00z.pgrb2.0p25"


def content(name: str) -> bytes:
    data = (Path(FOLDER or "") / name).read_bytes()
    return lzma.decompress(data) if name.endswith(".xz") else data


def fields(name: str) -> list[Field]:
    return [read_field(raw) for raw in fields_of(content(name))]


def at(field: Field, lat: float, lon: float) -> float:
    """Return the value of the nearest point."""
    grid = field.grid
    assert grid is not None
    row = round((lat - grid.south) / grid.step_y)
    column = round((lon - grid.west) % 360 / grid.step_x)
    return float(field.values[row * grid.nx + column])


@pytest.mark.parametrize(
    ("name", "size", "missing", "lowest", "highest", "mean"),
    [
        (D2.format("u"), (1215, 746), 151528, -7.6475, 8.7182, 0.35415),
        (D2.format("v"), (1215, 746), 151528, -9.8761, 8.2699, -1.49330),
        (EU, (1097, 657), 0, 0.0, 1.0, 0.41428),
        (RH, (1440, 721), 0, 0.0, 0.0, 0.0),
        (RAIN, (1440, 721), 0, 0.0, 0.0098, 0.00003),
        (SKIN, (900, 451), 0, 204.1220, 337.9345, 282.53361),
        (CLOUD, (1121, 717), 138076, 0.0087, 100.0087, 64.89802),
    ],
)
def test_single_field_has_known_values(
    name: str, size: tuple[int, int], missing: int, lowest: float, highest: float, mean: float
) -> None:
    (field,) = fields(name)
    assert field.grid is not None and (field.grid.nx, field.grid.ny) == size
    values = field.values.astype(np.float64)
    assert int(np.isnan(values).sum()) == missing
    assert np.nanmin(values) == pytest.approx(lowest, abs=1e-4)
    assert np.nanmax(values) == pytest.approx(highest, abs=1e-4)
    assert np.nanmean(values) == pytest.approx(mean, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "kiel", "south"),
    [
        (D2.format("u"), 0.5336, 1.1088),
        (D2.format("v"), 0.3573, -0.0641),
        (EU, 0.0, 0.0),
        (RAIN, 0.0001, 0.0),
        (SKIN, 299.3720, 309.3095),
        (CLOUD, 100.0087, 100.0087),
    ],
)
def test_values_are_at_the_right_place(name: str, kiel: float, south: float) -> None:
    (field,) = fields(name)
    # The value at Kiel differs from that of the mirrored place, so the order of rows matters.
    assert at(field, 54.3, 10.1) == pytest.approx(kiel, abs=1e-4)
    assert at(field, 48.0, 11.3) == pytest.approx(south, abs=1e-4)


def test_areas_and_times_are_read() -> None:
    (d2,), (eu,), (cloud,) = fields(D2.format("u")), fields(EU), fields(CLOUD)
    assert d2.grid is not None and eu.grid is not None and cloud.grid is not None
    assert (d2.grid.west, d2.grid.south, d2.grid.area.n) == (-3.94, 43.18, 58.08)
    assert (eu.grid.west, eu.grid.area.e, eu.step_minutes) == (-23.5, 45.0, 47 * 60)
    assert (cloud.grid.west, cloud.grid.south, cloud.step_minutes) == (-12.0, 37.5, 60)
    assert d2.run == 1650931200 and d2.step_minutes == 0 and d2.height == 10


def test_constant_field_on_unstructured_grid_is_read() -> None:
    (rain,) = fields(ICON)
    assert rain.grid is None and rain.values.size == 2949120
    assert not rain.values.any()


def test_u_and_v_in_one_message_are_read() -> None:
    raw = list(fields_of(content(GFS)))
    assert len(raw) == 343
    found = {}
    for each in raw:
        if each.parameter in (unpacking.U, unpacking.V):
            field = read_field(each)
            if field.height == 10:
                found[each.number] = field
    u, v = found[2], found[3]
    assert u.step_minutes == v.step_minutes == 120 * 60
    assert u.values.min() == pytest.approx(-20.04) and u.values.max() == pytest.approx(19.93)
    assert v.values.min() == pytest.approx(-22.63) and v.values.max() == pytest.approx(22.85)
    assert (at(u, 55, 10), at(v, 55, 10)) == pytest.approx((5.4, 5.56))
    assert (at(u, 47.5, 12.5), at(v, 47.5, 12.5)) == pytest.approx((0.2, 0.66))


def test_jpeg_packing_is_read() -> None:
    u, v = (each for each in fields(WAVE) if each.parameter in (unpacking.U, unpacking.V))
    assert u.grid is not None and (u.grid.nx, u.grid.ny) == (301, 331)
    assert np.isnan(u.values).sum() == 70212
    assert np.nanmean(u.values) == pytest.approx(-2.70743, abs=1e-4)
    assert np.nanmean(v.values) == pytest.approx(-0.77392, abs=1e-4)


def test_weather_fields_are_recognised() -> None:
    """The sum of ICON counts from the start; cloud fields of layers and of AROME are told apart."""
    (rain,), (cloud,), (rate,) = (
        [read_head(raw) for raw in fields_of(content(name))] for name in (ICON, CLOUD, RAIN)
    )
    assert unpacking.channel_of(rain) == "precipitation"
    assert unpacking.channel_of(cloud) == "cloud"
    assert unpacking.channel_of(rate) is None
    found = [unpacking.channel_of(read_head(raw)) for raw in fields_of(content(GFS))]
    assert found.count("temperature") == 1 and found.count("pressure") == 1


@pytest.mark.parametrize(
    "name",
    [
        "grib-dwd/not_a_grib2_file.grib2",
        "ecmwf/wind_20x20.grib",
        "ecmwf/rotated_wind_20x20.grib",
        "ecmwf/aifs_single_20250301_00z_0h.index",
    ],
)
def test_other_formats_are_rejected(name: str) -> None:
    with pytest.raises(Refused) as refused:
        fields(name)
    assert refused.value.reason == "not_grib"


def test_file_has_the_grid_of_its_year() -> None:
    pieces = tuple(content(D2.format(name)) for name in "uv")
    grid = unpacking.find_place(Fetched(pieces), "icon-d2", None)
    assert isinstance(grid, Grid)
    assert (grid.nx, grid.ny) == (1215, 746)


@pytest.mark.parametrize(
    ("name", "count", "first", "lengths"),
    [
        (
            f"{KERCHUNK}.f021.idx",
            743,
            428651621,
            [969962, 943861, 619558, 885199, 489321, 831867, 1000996],
        ),
        (
            f"{KERCHUNK}.f000.idx",
            696,
            423120030,
            [962203, 942246, 616759, 874652, 825978, 995976],
        ),
        ("gep01.t00z.pgrb2s.0p25.f015.idx", 38, 6562241, [857484, 840644, 554180, 440101, None]),
    ],
)
def test_text_indexes_are_read(
    name: str, count: int, first: int, lengths: list[int | None]
) -> None:
    index = content(f"idx-noaa/{name}")
    lines = gfs.parse_index(index)
    assert len(lines) == count
    wanted = gfs.wanted_lines(index, lines[0].day)
    assert [line.length for line in wanted] == lengths
    assert wanted[0].offset == first


def test_text_index_of_waves_is_read() -> None:
    lines = gfs.parse_index(content(f"{WAVE}.idx"))
    assert len(lines) == 19
    assert [(line.variable, line.length) for line in lines[:4]] == [
        ("WIND", 41723),
        ("WDIR", 58804),
        ("UGRD", 42096),
        ("VGRD", 41923),
    ]


def test_json_index_is_read() -> None:
    index = content("ecmwf/aifs_single_20250301_00z_0h.index")
    assert len(ecmwf.parse_index(index)) == 106
    u, v, *weather = ecmwf.wanted_lines(index, 1740787200)
    assert [line.param for line in weather] == ["2t", "tp", "tcc", "msl"]
    assert (u.offset, u.length) == (39353093, 822798)
    assert (v.offset, v.length) == (42803723, 820423)
