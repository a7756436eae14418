"""Temperature, precipitation, clouds, pressure and symbols: from the providers to the answer."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from quartet.wind.demo.fields import place_of
from quartet.wind.demo.sky import sky_at
from quartet.wind.forecasts.rows import KINDS
from quartet.wind.forecasts.series import series_at
from quartet.wind.grid.arrays import Floats, Int16s
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import CHANNELS, NO_DATA, Header
from quartet.wind.grid.weather import SYMBOLS, calendar_of, place_vector, symbol_numbers
from quartet.wind.models.gfs.upstream import wanted_lines
from tests.wind.conftest import Station
from tests.wind.runs import finished_run
from tests.wind.test_ingest import point_of
from tests.wind.upstream import EACH_MODEL, HOUR, RUN, Provider, publish, short

EUROPE = Grid(0.0, 45.0, 0.5, 0.5, 31, 31)
FIELDS = ("temperature", "precipitation", "cloud", "pressure", "symbol")


def series_of(catalogue: Catalogue, model: str, lat: float, lon: float) -> dict[str, Any]:
    forecast = catalogue.forecast(model)
    assert forecast is not None
    found = series_at(lat, lon, [forecast])
    (series,) = msgspec.json.decode(found.json if found else b"[]")
    return dict(series)


@pytest.mark.anyio
@pytest.mark.parametrize("model_id", EACH_MODEL)
async def test_weather_of_each_model_is_served_as_published(
    model_id: str, station: Station, served: Provider
) -> None:
    """The steps cross a whole day, which NOAA writes differently, and its six-hourly sums."""
    model = short(model_id, (0, 6, 12, 24, 30) if model_id == "aifs" else (0, 1, 3, 7, 24))
    publish(served.folder, model)
    await station.ingest_of(model).ingest_run(model, RUN)
    lat, lon = point_of(place_of(model_id, "tiny"))
    said = [
        sky_at(model_id, RUN, np.array([lat]), np.array([lon]), RUN + step * HOUR)
        for step in model.steps(0)
    ]
    series = series_of(station.catalogue, model_id, lat, lon)
    kelvin, pascal = [each.temperature[0] for each in said], [each.pressure[0] for each in said]
    assert series["temperature"] == pytest.approx(np.array(kelvin) - 273.15, abs=0.6)
    assert series["pressure"] == pytest.approx(np.array(pascal) / 100, abs=0.6)
    fallen = [each.precipitation[0] for each in said]
    assert series["precipitation"][0] is None
    assert series["precipitation"][1:] == pytest.approx(
        [later - earlier for earlier, later in pairwise(fallen)], abs=0.16
    )
    if model_id == "aicon":
        assert series["cloud"] == [None] * 5
    else:
        assert series["cloud"] == pytest.approx([each.cloud[0] for each in said], abs=2.8)
        assert None not in series["symbol"]


@pytest.mark.parametrize(
    ("time", "since_start"),
    [("21 hour", "0-21 hour"), ("24 hour", "0-1 day"), ("240 hour", "0-10 day")],
)
def test_noaa_sum_since_the_start_and_clouds_of_the_moment_are_chosen(
    time: str, since_start: str
) -> None:
    names = (
        f"UGRD:10 m above ground:{time} fcst",
        f"VGRD:10 m above ground:{time} fcst",
        "APCP:surface:18-21 hour acc fcst",
        f"APCP:surface:{since_start} acc fcst",
        f"TCDC:entire atmosphere:{time} fcst",
        "TCDC:entire atmosphere:18-21 hour ave fcst",
    )
    index = "".join(f"{n}:{100 * n}:d=2026051200:{name}:\n" for n, name in enumerate(names))
    found = wanted_lines(index.encode(), "2026051200")
    assert [line.offset for line in found] == [0, 100, 300, 400]


@pytest.mark.anyio
async def test_bad_or_missing_weather_does_not_hold_up_the_wind(
    station: Station, served: Provider
) -> None:
    model = short("icon-eu", (0, 1, 2))
    publish(served.folder, model)
    (bad,) = served.folder.rglob("T_2M/**/PT001H00M.grib2")
    bad.write_bytes(bad.read_bytes()[:300])
    (missing,) = served.folder.rglob("CLCT/**/PT002H00M.grib2")
    missing.unlink()
    station.clock.now = RUN + model.delay
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert stored.header.steps == (0, 1, 2) and not stored.header.partial
    assert station.clock.now < RUN + model.delay + 20 * 60
    series = series_of(station.catalogue, model.id, 54.3, 10.1)
    assert [each is None for each in series["temperature"]] == [False, True, False]
    assert [each is None for each in series["cloud"]] == [False, False, True]
    assert None not in series["wind"]


@pytest.mark.anyio
async def test_weather_that_comes_a_little_later_is_waited_for(
    station: Station, served: Provider
) -> None:
    model = short("icon-eu", (0, 1))
    publish(served.folder, model)
    late = {path: path.read_bytes() for path in served.folder.rglob("PMSL/**/*.grib2")}
    for path in late:
        path.unlink()
    station.clock.now = RUN + model.delay

    def appear() -> None:
        if station.clock.naps == 2:
            for path, content in late.items():
                path.write_bytes(content)

    station.clock.on_nap = appear
    await station.ingest_of(model).ingest_run(model, RUN)
    series = series_of(station.catalogue, model.id, 54.3, 10.1)
    assert None not in series["pressure"]


def weather(steps: int, **values: list[float]) -> Int16s:
    """Numbers as they are stored, the same everywhere."""
    numbers = np.zeros((steps, len(CHANNELS), EUROPE.points), np.int16)
    for channel, given in values.items():
        numbers[:, CHANNELS.index(channel)] = np.array(given)[:, None]
    return numbers


def test_amounts_are_differences_also_across_blocks_and_runs(tmp_path: Path) -> None:
    """Stored are twentieths of a millimetre since the start of each run."""
    older = weather(12, precipitation=[10 * step for step in range(12)])
    newer = weather(3, precipitation=[0, 0, 40])
    steps = tuple(range(12))
    finished_run(tmp_path, EUROPE, older, run=0, steps=steps, channels=CHANNELS)
    finished_run(tmp_path, EUROPE, newer, run=5 * HOUR, channels=CHANNELS)
    series = series_of(Catalogue(tmp_path), "icon-eu", 54.3, 10.1)
    assert series["parts"][1] == {"run": 0, "since": 8 * HOUR}
    assert series["precipitation"] == [None, 0.0, 2.0, 0.5, 0.5, 0.5, 0.5]


def test_missing_sum_leaves_out_the_amounts_around_it(tmp_path: Path) -> None:
    numbers = weather(4, precipitation=[0, 20, NO_DATA, 60])
    finished_run(tmp_path, EUROPE, numbers, channels=CHANNELS)
    series = series_of(Catalogue(tmp_path), "icon-eu", 54.3, 10.1)
    assert series["precipitation"] == [None, 1.0, None, None]


def test_run_of_an_older_release_has_wind_only(tmp_path: Path) -> None:
    """Also while such a run continues a newer one, and while one continues such a run."""
    wind = np.full((12, 3, EUROPE.points), 300, np.int16)
    finished_run(tmp_path, EUROPE, wind, run=0)
    assert not {*series_of(Catalogue(tmp_path), "icon-eu", 54.3, 10.1)} & {*FIELDS}
    numbers = weather(3, temperature=[-160, 1240, 1240], pressure=[1325, 1325, 1325])
    finished_run(tmp_path, EUROPE, numbers, run=5 * HOUR, channels=CHANNELS)
    series = series_of(Catalogue(tmp_path), "icon-eu", 54.3, 10.1)
    assert series["temperature"] == [-2, 12, 12, None, None, None, None]
    assert series["pressure"] == [1013, 1013, 1013, None, None, None, None]
    assert series["wind"][-1] == 4.2


def floats(*values: float) -> Floats:
    return np.array(values, np.float32)


@pytest.mark.parametrize(
    ("cloud", "rate", "temperature", "symbol"),
    [
        (0, 0, 20, 0),
        (12.5, 0, 20, 1),
        (37.5, 0.09, 20, 2),
        (87.5, 0, 20, 3),
        (100, 0.1, 20, 61),
        (100, 1, 20, 63),
        (100, 4, 20, 65),
        (60, 0.5, 20, 80),
        (60, 5, 20, 82),
        (100, 0.5, 1.4, 68),
        (100, 0.5, 0.4, 71),
        (100, 5, -3, 75),
        (60, 1, -3, 86),
        (100, 0.5, np.nan, 61),
        (40, np.nan, 20, 2),
    ],
)
def test_symbol_follows_from_clouds_precipitation_and_temperature(
    cloud: float, rate: float, temperature: float, symbol: int
) -> None:
    given = floats(cloud, cloud), floats(rate, rate), floats(-temperature, -temperature)
    day, night = numbers_of(*given, floats(0.5, -0.5)).astype(int).tolist()
    assert SYMBOLS[day] == symbol
    assert SYMBOLS[night] == symbol + 100


def test_symbol_is_unknown_without_clouds() -> None:
    (number,) = numbers_of(*(floats(each) for each in (np.nan, 0, -20, 1)))
    assert np.isnan(number)


def numbers_of(cloud: Floats, rate: Floats, coldness: Floats, sun: Floats) -> Floats:
    symbols = np.empty_like(cloud)
    rows = np.array([*[cloud] * 3, *[rate] * 3, *[coldness] * 2, sun])
    symbol_numbers(rows, symbols)
    return symbols


@pytest.mark.parametrize(
    ("lat", "lon", "sunrise", "sunset"),
    [
        # Of 21 June 2026 in UTC, as calendars print them.
        (54.32, 10.14, 2.78, 19.98),
        (36.01, -5.60, 5.03, 19.67),
        (-33.92, 18.42, 5.85, 15.75),
    ],
)
def test_sun_is_up_between_sunrise_and_sunset(
    lat: float, lon: float, sunrise: float, sunset: float
) -> None:
    midnight = 1_782_000_000
    header = Header("icon-eu", midnight, tuple(range(24)), EUROPE, 0)
    heights = place_vector(lat, lon) @ calendar_of(header)[1:, :24]
    for hour, height in enumerate(heights):
        if min(abs(hour - sunrise), abs(hour - sunset)) > 0.2:
            assert (height > np.sin(np.radians(-0.833))) == (sunrise < hour < sunset), hour


def test_texts_of_all_numbers_fit_their_width() -> None:
    """The texts of an answer are looked up with four bytes each."""
    assert {kind.name for kind in KINDS if any(len(text) > 4 for text in kind.texts)} == set()
    tenths = next(kind.texts for kind in KINDS if kind.name == "wind")
    assert (tenths[0], tenths[123], tenths[120], tenths[1234]) == ("0", "12.3", "12", "123")
