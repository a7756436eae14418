"""Published lists, reports and archives, with values read by other programs.

They are not part of the repository: `QUARTET_WIND_SAMPLES` names the folder that contains them.
"""

import json
import os
from pathlib import Path

import pytest

from quartet.wind.gauges.pegelonline import parse_gauges
from quartet.wind.observations import report_files
from quartet.wind.observations.cdc import parse_ten_minutes, table_rows
from quartet.wind.observations.metar import parse_metar
from quartet.wind.observations.poi import parse_poi
from quartet.wind.observations.taf import parse_taf
from quartet.wind.places.geonames import local_names, towns
from quartet.wind.stations import dwd
from quartet.wind.stats.archives import hourly_rows, rows_of_json

FOLDER = os.environ.get("QUARTET_WIND_SAMPLES")

pytestmark = pytest.mark.skipif(
    not FOLDER, reason="QUARTET_WIND_SAMPLES names no folder with real files"
)

KNOT = 1.852


def content(name: str) -> bytes:
    return (Path(FOLDER or "") / name).read_bytes()


def test_hourly_measurements() -> None:
    parsed = list(parse_poi(content("dwd-poi/10315-BEOB.csv").decode("latin-1")))
    assert len(parsed) == 25
    newest, oldest = parsed[0], parsed[-1]
    assert newest.time == 1681297200  # 2023-04-12 11:00
    assert newest.wind == pytest.approx(8 / KNOT, abs=0.06) and newest.direction == 180
    assert newest.gust == pytest.approx(17 / KNOT, abs=0.06)
    strong = next(each for each in parsed if each.time == 1681210800)
    assert strong.wind == pytest.approx(38 / KNOT, abs=0.06) and strong.direction == 270
    assert oldest.time < newest.time


def test_station_list() -> None:
    text = content("dwd-cdc/FF_Stundenwerte_Beschreibung_Stationen.txt").decode("latin-1")
    stations = list(dwd.parse_station_list(text, "0"))
    assert len(stations) == 525
    aachen = stations[0]
    assert (aachen.codes.dwd, aachen.name, aachen.lat, aachen.lon) == (
        "00003",
        "Aachen",
        50.7827,
        6.0941,
    )
    assert aachen.region == "Nordrhein-Westfalen"
    assert len(list(dwd.parse_station_list(text, "20240601"))) < 525


def test_station_catalogue() -> None:
    text = content("mosmix/mosmix_stationskatalog.cfg").decode("latin-1")
    stations = {each.codes.wmo: each for each in dwd.parse_mosmix_catalogue(text)}
    assert len(stations) == 5999
    assert (stations["01025"].lat, stations["01025"].lon) == (69.6833, 18.9167)
    assert stations["10637"].codes.icao == "EDDF"
    assert stations["28224"].lat == 58.0
    assert sum(-1 < each.lon < 0 for each in stations.values()) >= 26


def test_hourly_archive_of_ten_years() -> None:
    body = content("dwd-cdc/stundenwerte_FF_01346_19550101_20231231_hist.zip")
    rows = list(hourly_rows(body, "2014"))
    assert rows[0][0] == "2014010100" and rows[-1][0] == "2023123123"
    assert 85_000 < len(rows) <= 87_648
    assert max(wind for _, wind, _ in rows) < 36.1 * 1.944
    assert all(degrees is None or 1 <= degrees <= 360 for *_, degrees in rows)


def test_shortened_archives() -> None:
    recent = content("dwd-cdc/observations_recent_FF_akt.zip")
    assert len(list(hourly_rows(recent, "0"))) == 9
    extremes = content("dwd-cdc/observations_recent_extrema_wind_akt.zip")
    header, *rows = table_rows(extremes)
    assert header[:4] == ["STATIONS_ID", "MESS_DATUM", "QN", "FX_10"] and len(rows) == 60
    with pytest.raises(Exception, match="report_unreadable"):
        list(parse_ten_minutes(extremes, None))


def test_metars() -> None:
    raws = list(report_files.metars_of_json(json.loads(content("metar-taf/pilot-bar/metar.json"))))
    parsed = [parse_metar(raw.text, raw.time) for raw in raws]
    winds = [(each.station, each.wind.wind, each.wind.direction) for each in parsed if each]
    assert winds == [
        ("PAMH", 0, None),
        ("KSGF", 10, 120),
        ("KLBL", 9, 320),
        ("KSPS", 8, 10),
        ("KSGF", 8, 120),
    ]
    assert all(
        each and abs(each.time - raw.time) <= 60 for each, raw in zip(parsed, raws, strict=True)
    )
    text = content("metar-taf/KDEN_METAR_CSV.csv").decode()
    first, second = report_files.metars_of_csv(text)
    assert (first.time, second.time) == (1572486780, 1572483180)
    denver = parse_metar(first.text, first.time)
    assert denver is not None and (denver.wind.wind, denver.wind.direction) == (12, 200)


def test_tafs() -> None:
    rows = json.loads(content("metar-taf/pilot-bar/taf.json"))
    for raw, row in zip(report_files.tafs_of_json(rows), rows, strict=True):
        report = parse_taf(raw.text, raw.time)
        assert report is not None and report.station == row["icaoId"]
        taf = report.taf
        assert (taf.valid_from, taf.valid_to) == (row["validTimeFrom"], row["validTimeTo"])
        ours = [(span.start, span.wind, span.gust) for span in taf.spans]
        theirs = [
            (each["timeFrom"], each["wspd"], each["wgst"])
            for each in row["fcsts"]
            if each["wspd"] is not None
        ]
        assert ours == theirs


def test_gauges_without_level_are_left_out() -> None:
    rows = json.loads(content("pegelonline/stations.json"))
    assert parse_gauges(rows) == []
    current = json.loads(content("pegelonline/measure.json"))
    level = {"shortname": "W", "unit": "cm", "currentMeasurement": current}
    gauges = parse_gauges([row | {"timeseries": [level]} for row in rows])
    assert len(gauges) == 672 - 12
    assert {(gauge.level, gauge.time) for gauge in gauges} == {(238.0, 1627826400)}
    assert {gauge.state for gauge in gauges if not gauge.tidal} == {"normal"}


def test_reanalysis_wind() -> None:
    rows = rows_of_json(content("open-meteo/openmeteo_archive.json"))
    assert len(rows.times) == 24 and rows.times[0] == 1749945600
    assert (rows.wind[0], max(rows.wind), rows.direction[0]) == (11.2, 12.7, 39)
    for miss in ("openmeteo_geocoding_miss.json", "home-assistant/forecast.json"):
        with pytest.raises(Exception, match="statistics_unreadable"):
            rows_of_json(content(f"open-meteo/{miss}"))


def test_towns() -> None:
    lines = content("geonames/allCountries.txt").decode().splitlines()
    found = {town.id: town for town in towns(lines, {})}
    assert found and all(town.name for town in found.values())
    names = list(local_names(content("geonames/alternateNamesV2.txt").decode().splitlines()))
    assert (6255148, "en", "Europe") in names and (703448, "en", "Kyiv") in names
    assert {language for _, language, _ in names} <= {"de", "en"}
