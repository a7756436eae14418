"""Wind of METARs, compared with two other parsers."""

import calendar
import warnings
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metar.Metar import Metar as Oracle
from metar_taf_parser.parser.parser import MetarParser  # type: ignore[import-untyped]

from quartet.wind.observations.metar import parse_metar
from quartet.wind.observations.types import WindReading
from quartet.wind.observations.wind_groups import parse_wind, time_near
from tests.rounds import examples


def at(text: str) -> int:
    return int(datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=UTC).timestamp())


NEAR = at("2026-05-12 06:00")
FIRST, LAST = datetime.fromisoformat("2000-01-01"), datetime.fromisoformat("2050-01-01")


@pytest.mark.parametrize(
    ("group", "wind"),
    [
        ("24012KT", WindReading(12, None, 240, False)),
        ("24012G25KT", WindReading(12, 25, 240, False)),
        ("36005KT", WindReading(5, None, 0, False)),
        ("VRB03KT", WindReading(3, None, None, True)),
        ("00000KT", WindReading(0, None, None, False)),
        ("00000MPS", WindReading(0, None, None, False)),
        ("27010MPS", WindReading(19.4, None, 270, False)),
        ("09020KMH", WindReading(10.8, None, 90, False)),
        ("240P99KT", WindReading(99, None, 240, False)),
        ("240105G130KT", WindReading(105, 130, 240, False)),
        ("24012G//KT", WindReading(12, None, 240, False)),
        ("24030G20KT", WindReading(30, None, 240, False)),
    ],
)
def test_wind_groups(group: str, wind: WindReading) -> None:
    assert parse_wind(group) == wind


@pytest.mark.parametrize(
    "group",
    [
        "/////KT",
        "24///KT",
        "///12KT",
        "37012KT",
        "240250KT",
        "2412KT",
        "24012",
        "",
        "\u0662\u0664\u066012KT",
    ],
)
def test_missing_or_implausible_wind_is_dropped(group: str) -> None:
    assert parse_wind(group) is None


@pytest.mark.parametrize(
    ("raw", "station", "time"),
    [
        ("EDDH 120550Z AUTO 24012KT 9999 10/05 Q1016", "EDDH", "2026-05-12 05:50"),
        ("METAR COR EDDH 120550Z 24012KT CAVOK=", "EDDH", "2026-05-12 05:50"),
        ("SPECI KJFK 112359Z COR 24012KT 10SM", "KJFK", "2026-05-11 23:59"),
        ("EDDH 122400Z 24012KT CAVOK", "EDDH", "2026-05-13 00:00"),
    ],
)
def test_station_and_time(raw: str, station: str, time: str) -> None:
    metar = parse_metar(raw, NEAR)
    assert metar is not None
    assert (metar.station, metar.time, metar.wind.wind) == (station, at(time), 12)


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "EDDH",
        "EDDH 120550Z NIL=",
        "EDDH 120550Z /////KT CAVOK",
        "EDDH 120550Z CAVOK RMK 24012KT",
        "EDDH 120550Z CAVOK TEMPO 24012KT",
        "EDDH 320550Z 24012KT",
        "EDDH 122560Z 24012KT",
        "<html><body>busy</body></html>",
        "x" * 100_000,
    ],
)
def test_report_without_wind_is_skipped(raw: str) -> None:
    assert parse_metar(raw, NEAR) is None


@pytest.mark.parametrize(
    ("day", "near", "expected"),
    [
        (31, "2026-02-01 00:10", "2026-01-31 00:00"),
        (1, "2026-01-31 23:50", "2026-02-01 00:00"),
        (1, "2026-12-31 23:50", "2027-01-01 00:00"),
        (31, "2027-01-01 00:10", "2026-12-31 00:00"),
        (29, "2028-03-01 00:10", "2028-02-29 00:00"),
    ],
)
def test_day_belongs_to_nearest_month(day: int, near: str, expected: str) -> None:
    assert time_near(day, 0, 0, at(near)) == at(expected)


@given(st.datetimes(FIRST, LAST), st.integers(-86400, 86400))
def test_time_round_trip(moment: datetime, off: int) -> None:
    time = calendar.timegm(moment.replace(second=0).timetuple())
    assert time_near(moment.day, moment.hour, moment.minute, time + off) == time


reports = st.builds(
    lambda direction, speed, gust, unit, more: (
        f"EDDH 120550Z {more}{direction}{speed:02}{f'G{speed + gust:02}' if gust else ''}{unit}"
        " 9999 FEW030 10/05 Q1016"
    ),
    st.sampled_from([*(f"{degrees:03}" for degrees in range(10, 361, 10)), "VRB"]),
    st.integers(1, 60),
    st.one_of(st.just(0), st.integers(10, 39)),
    st.sampled_from(["KT", "MPS"]),
    st.sampled_from(["", "AUTO "]),
)


@settings(max_examples=examples(40))
@given(reports)
def test_two_other_parsers_agree(raw: str) -> None:
    metar = parse_metar(raw, NEAR)
    assert metar is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oracle = Oracle(raw, month=5, year=2026)
    assert oracle.wind_speed is not None
    assert oracle.wind_speed.value("KT") == pytest.approx(metar.wind.wind, abs=0.06)
    gust = oracle.wind_gust.value("KT") if oracle.wind_gust else None
    assert gust == (None if metar.wind.gust is None else pytest.approx(metar.wind.gust, abs=0.06))
    direction = oracle.wind_dir.value() % 360 if oracle.wind_dir else None
    assert direction == metar.wind.direction
    assert oracle.time is not None
    assert oracle.time.replace(tzinfo=UTC).timestamp() == metar.time
    other = MetarParser().parse(raw).wind
    factor = 3600 / 1852 if other.unit == "MPS" else 1
    assert other.speed * factor == pytest.approx(metar.wind.wind, abs=0.06)
    assert other.degrees == (None if metar.wind.variable else metar.wind.direction or 360)


@given(st.text(max_size=200))
def test_arbitrary_text_is_handled(raw: str) -> None:
    parse_metar(raw, NEAR)
    parse_metar(f"EDDH 120550Z {raw}", NEAR)
