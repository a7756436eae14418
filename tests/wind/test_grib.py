"""Fields of GRIB2 files, and files that are not GRIB2."""

import struct
from contextlib import suppress
from dataclasses import replace

import eccodes  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.wind.demo.fields import CellPlace
from quartet.wind.demo.gribs import Dialect, Subject, message
from quartet.wind.grid.arrays import Doubles
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import CellGrid
from quartet.wind.models import ccsds
from quartet.wind.models.grib import Field, read_field
from quartet.wind.models.refused import Refused
from quartet.wind.models.sections import fields_of
from tests.wind.upstream import RUN

U, V = Subject((0, 2, 2), 10), Subject((0, 2, 3), 10)
GUST = Subject((0, 2, 22), 10, maximum=True)
REGION = Grid(-12.0, 37.5, 0.5, 0.25, 9, 7)
WORLD = Grid(-180.0, -90.0, 30.0, 30.0, 12, 7)
VALUES = np.random.default_rng(3).normal(0, 8, 200)

DIALECTS = {
    "DWD": Dialect(minutes=True, north_first=False, bits=16),
    "NOAA": Dialect(first_lon=0.0, packing="grid_complex_spatial_differencing", bits=16),
    "ECMWF": Dialect(first_lon=-180.0, packing="grid_ccsds", bits=16),
    "odd start": Dialect(first_lon=90.0, north_first=False, bits=16),
}


def only(data: bytes) -> Field:
    (raw,) = fields_of(data)
    return read_field(raw)


def reason(data: bytes) -> str:
    with pytest.raises(Refused) as refused:
        [read_field(raw) for raw in fields_of(data)]
    return refused.value.reason


@pytest.mark.parametrize("grid", [REGION, WORLD], ids=["region", "world"])
@pytest.mark.parametrize("name", DIALECTS)
def test_every_dialect_is_read_into_the_same_order(name: str, grid: Grid) -> None:
    values = VALUES[: grid.points]
    field = only(message(DIALECTS[name], U, grid, (RUN, 47), values))
    assert (field.parameter, field.height, field.run) == ((0, 2, 2), 10, RUN)
    assert field.step_minutes == 47 * 60
    assert field.grid == grid
    assert np.allclose(field.values, values, atol=0.01)


@pytest.mark.parametrize("name", DIALECTS)
def test_hourly_maximum_belongs_to_the_end_of_its_hour(name: str) -> None:
    field = only(message(DIALECTS[name], GUST, REGION, (RUN, 12), VALUES[: REGION.points]))
    assert field.step_minutes == 12 * 60


def test_missing_points_are_nan() -> None:
    values = VALUES[: REGION.points].copy()
    values[5:9] = np.nan
    for dialect in DIALECTS.values():
        field = only(message(dialect, U, REGION, (RUN, 1), values))
        assert np.array_equal(np.isnan(field.values), np.isnan(values))
        assert np.allclose(field.values, values, atol=0.01, equal_nan=True)


@pytest.mark.parametrize("bits", [1, 8, 12, 16, 24])
@pytest.mark.parametrize("gaps", [False, True])
def test_ccsds_packing_has_the_values_of_eccodes(bits: int, gaps: bool) -> None:
    values = VALUES[: REGION.points].copy()
    if gaps:
        values[[0, 5, 17]] = np.nan
    dialect = Dialect(north_first=False, packing="grid_ccsds", bits=bits)
    data = message(dialect, U, REGION, (RUN, 3), values)
    ours = ccsds.unpack(data)
    assert (ours is None) == (bits > 16), "ecCodes reads the others"
    handle = eccodes.codes_new_from_message(data)
    eccodes.codes_set(handle, "missingValue", 1e20)
    theirs = eccodes.codes_get_array(handle, "values", ktype=np.float32)
    eccodes.codes_release(handle)
    theirs[theirs > 1e19] = np.nan
    assert np.array_equal(only(data).values, theirs, equal_nan=True)
    assert ours is None or np.array_equal(ours, theirs, equal_nan=True)


def test_constant_field_has_its_value_everywhere() -> None:
    field = only(message(DIALECTS["DWD"], U, REGION, (RUN, 0), np.full(REGION.points, 4.5)))
    assert field.values.tolist() == [4.5] * REGION.points


def test_unstructured_grid_is_identified_by_number_uuid_and_cells() -> None:
    cells = CellPlace(62, 150, None)
    field = only(message(DIALECTS["DWD"], U, cells, (RUN, 0), VALUES[:150]))
    assert field.place == CellGrid(f"62-{cells.uuid}-150", 150)
    assert np.allclose(field.values, VALUES[:150], atol=0.01)


def test_missing_value_management_of_complex_packing_is_honoured() -> None:
    values = np.linspace(0.0, 10.0, REGION.points)
    values[7:40] = np.nan
    field = only(message(Dialect(packing="grid_complex"), U, REGION, (RUN, 1), values))
    rows = values.reshape(REGION.ny, REGION.nx)
    assert np.array_equal(np.isnan(field.values), np.isnan(rows.reshape(-1)))


PACKINGS = (
    "grid_ieee",
    "grid_jpeg",
    "grid_second_order",
    "grid_simple_log_preprocessing",
)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("packing", PACKINGS)
def test_rare_packing_has_its_values(packing: str, gaps: bool) -> None:
    """ecCodes cannot unpack some of these to single precision, or does so wrongly."""
    values = VALUES[: REGION.points].copy()
    if gaps:
        values[::5] = np.nan
    field = only(message(replace(DIALECTS["NOAA"], packing=packing), U, REGION, (RUN, 1), values))
    assert np.allclose(field.values, values, atol=0.01, equal_nan=True)


@pytest.mark.parametrize("by_column", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize("alternating", [False, True], ids=["same direction", "alternating"])
def test_values_in_another_order_are_at_their_places(by_column: bool, alternating: bool) -> None:
    values = VALUES[: REGION.points]
    rows = values.reshape(REGION.ny, REGION.nx)
    lines = (rows.T if by_column else rows).copy()
    if alternating:
        lines[1::2] = lines[1::2, ::-1].copy()
    plain = message(DIALECTS["DWD"], U, REGION, (RUN, 1), values)
    keys = {"jPointsAreConsecutive": by_column, "alternativeRowScanning": alternating}
    field = only(changed(plain, lines.reshape(-1), **keys))
    assert field.grid == REGION
    assert np.allclose(field.values, values, atol=0.01)


def test_step_in_seconds_is_read() -> None:
    plain = message(DIALECTS["NOAA"], U, REGION, (RUN, 1), VALUES[: REGION.points])
    field = only(changed(plain, None, indicatorOfUnitForForecastTime=13, forecastTime=5400))
    assert field.step_minutes == 90


def changed(data: bytes, values: Doubles | None, **keys: int) -> bytes:
    """Return a message with other keys, and with other values in the order of its file."""
    handle = eccodes.codes_new_from_message(data)
    try:
        for key, value in keys.items():
            eccodes.codes_set(handle, key, value)
        if values is not None:
            eccodes.codes_set_array(handle, "values", values)
        return bytes(eccodes.codes_get_message(handle))
    finally:
        eccodes.codes_release(handle)


def test_two_fields_in_one_message_are_split() -> None:
    u, v = VALUES[: REGION.points], VALUES[100 : 100 + REGION.points]
    first = message(DIALECTS["NOAA"], U, REGION, (RUN, 3), u)
    second = message(DIALECTS["NOAA"], V, REGION, (RUN, 3), v)
    # The sections before the product definition are shared.
    rest = second[start_of(second, 4) : -4]
    body = first[16:-4] + rest + b"7777"
    both = first[:8] + struct.pack(">Q", 16 + len(body)) + body
    fields = [read_field(raw) for raw in fields_of(both)]
    assert [field.parameter[2] for field in fields] == [2, 3]
    assert np.allclose(fields[1].values, v, atol=0.01)


def start_of(data: bytes, section: int) -> int:
    place = 16
    while data[place + 4] != section:
        place += struct.unpack_from(">I", data, place)[0]
    return place


def test_grid_relative_components_are_rejected() -> None:
    handle = eccodes.codes_new_from_message(
        message(DIALECTS["DWD"], U, REGION, (RUN, 0), VALUES[: REGION.points])
    )
    eccodes.codes_set(handle, "uvRelativeToGrid", 1)
    assert reason(eccodes.codes_get_message(handle)) == "grid_relative"
    eccodes.codes_release(handle)


@pytest.mark.parametrize("section", [3, 5])
def test_billions_of_points_are_rejected_before_decoding(section: int) -> None:
    data = bytearray(message(DIALECTS["DWD"], U, REGION, (RUN, 0), VALUES[: REGION.points]))
    place = start_of(bytes(data), section) + {3: 6, 5: 5}[section]
    data[place : place + 4] = struct.pack(">I", 2**31)
    assert reason(bytes(data)) == "too_large"


def test_endless_fields_are_rejected() -> None:
    data = message(DIALECTS["DWD"], U, REGION, (RUN, 0), np.full(REGION.points, 4.5))
    # The numbers of a constant field take no space, and a message may repeat them.
    again = data[start_of(data, 7) : -4]
    body = data[16:-4] + again * 100_000 + b"7777"
    many = data[:8] + struct.pack(">Q", 16 + len(body)) + body
    with pytest.raises(Refused, match="too_large"):
        for _ in fields_of(many):
            pass


GOOD = message(DIALECTS["DWD"], U, REGION, (RUN, 0), VALUES[: REGION.points])
CCSDS = message(DIALECTS["ECMWF"], U, REGION, (RUN, 0), VALUES[: REGION.points])


@given(st.integers(1, len(GOOD) - 1))
def test_file_truncated_anywhere_is_rejected(length: int) -> None:
    assert reason(GOOD[:length]) in ("truncated", "not_grib")


@given(st.sampled_from([GOOD, CCSDS]), st.integers(0, len(CCSDS) - 1), st.integers(0, 255))
def test_changed_byte_is_read_or_rejected(good: bytes, place: int, byte: int) -> None:
    data = bytearray(good)
    data[place % len(data)] = byte
    with suppress(Refused):
        [read_field(raw) for raw in fields_of(bytes(data))]


@given(st.binary(max_size=300))
def test_noise_is_rejected(noise: bytes) -> None:
    assert reason(b"GRIB" + noise) in ("truncated", "not_grib")
