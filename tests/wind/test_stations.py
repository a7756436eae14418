"""Stations: imported from lists, found by name, code, place and coordinates."""

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from quartet.wind.app import SERVICE
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.stations import airports, dwd
from quartet.wind.stations.builtin import builtin_stations
from quartet.wind.stations.merging import distance_km, merge
from quartet.wind.stations.service import Stations
from quartet.wind.stations.station_index import StationIndex
from quartet.wind.stations.types import Codes, KnownStation
from tests.client import client_of
from tests.wind.station_setup import HAMBURG, KIEL, LIGHTHOUSE, NOW, Site, load_lists, site_at

pytestmark = pytest.mark.anyio

LIST = """\
Stations_id von_datum bis_datum Stationshoehe geoBreite geoLaenge Stationsname Bundesland
----------- --------- --------- ------------- --------- --------- -------------- ----------
00003 19370101 20110331            202     50.7827    6.0941 Aachen                                   Nordrhein-Westfalen
00011 19800901 20260623            680     47.9736    8.5205 Donaueschingen (Landeplatz)              Baden-Württemberg                       Frei
05839 19970701 20260623             -0     53.3881    7.2287 Emden                                    Niedersachsen
"""  # noqa: E501
CATALOGUE = """\
ID    ICAO NAME                 LAT    LON     ELEV
----- ---- -------------------- -----  ------- -----
01025 ---- TROMSOE               69.41   18.55    10
10637 EDDF FRANKFURT/M           50.03    8.36   111
03777 EGKK LONDON/GATWICK        51.09   -0.11    62
28224 USPP PERM                  57.60   56.12   123
"""


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with site_at(tmp_path) as site:
        yield site


def test_fixed_width_list_is_parsed() -> None:
    donau, emden = dwd.parse_station_list(LIST, "20260101")
    assert (donau.name, donau.region, donau.codes.dwd) == (
        "Donaueschingen (Landeplatz)",
        "Baden-Württemberg",
        "00011",
    )
    assert (emden.lat, emden.lon, emden.elevation) == (53.3881, 7.2287, 0)


def test_degrees_and_minutes_are_converted() -> None:
    places = {
        each.codes.wmo: (each.lat, each.lon) for each in dwd.parse_mosmix_catalogue(CATALOGUE)
    }
    assert places["01025"] == (69.6833, 18.9167)
    assert places["03777"] == (51.15, -0.1833)
    assert places["28224"][0] == 58.0


def test_old_mosmix_catalogue_is_parsed() -> None:
    old = """TABLE St 99999 99991 gmos 99892 99891 ecmda 99791 gmeda
clu   CofX  id    ICAO name                 nb.    el.     elev  Hmod-H type
===== ----- ===== ---- -------------------- ------ ------- ----- ------ ----
99808     8 EW007 ---- Foehr                 54.44    8.35     0        KUES
10147     8 10147 EDDH HAMBURG-FU.           53.38    9.59    16     -3 LAND
"""
    foehr, hamburg = dwd.parse_mosmix_catalogue(old)
    assert (foehr.name, foehr.lat, foehr.lon) == ("Foehr", 54.7333, 8.5833)
    assert (hamburg.codes, hamburg.country) == (Codes(icao="EDDH", wmo="10147"), "DE")
    assert hamburg.elevation == 16


async def test_place_is_not_hidden_by_a_station_with_a_similar_name(site: Site) -> None:
    similar = msgspec.structs.replace(HAMBURG, name="Tarira", codes=Codes(icao="AYTR"), lat=-6.0)
    await site.stations.import_list("more", "1", lambda: [similar])
    await site.stations.refresh()
    await site.places.refresh()
    found = await site.stations.find("Tarifa", "en")
    assert not found.stations and found.places[0].country == "ES"


def test_airport_slugs_are_unique() -> None:
    stations = merge([], airports.airports())
    assert len(stations) > 15_000
    assert len({each.slug for each in stations}) == len(stations)
    hamburg = next(each for each in stations if each.codes.icao == "EDDH")
    assert (hamburg.slug, hamburg.timezone) == ("hamburg-airport-eddh", "Europe/Berlin")


def test_nearby_entries_are_merged() -> None:
    known = [msgspec.structs.replace(HAMBURG, slug="hamburg-airport-eddh", id=7)]
    changed = merge(known, builtin_stations())
    assert len(changed) == len(list(builtin_stations()))
    (same,) = [each for each in changed if each.id == 7]
    assert (same.slug, same.codes) == ("hamburg-airport-eddh", Codes(icao="EDDH", dwd="01975"))
    assert merge([*changed, *known], builtin_stations()) == []


def test_different_codes_are_two_stations() -> None:
    other = msgspec.structs.replace(HAMBURG, codes=Codes(icao="EDHI"))
    assert [each.codes.icao for each in merge([HAMBURG], [other])] == ["EDHI"]


@pytest.mark.parametrize("lat", [0.0, 54.0, 89.9, -89.9])
@pytest.mark.parametrize("lon", [179.9, -179.9, 0.1])
def test_nearest_station_across_poles_and_date_line(lat: float, lon: float) -> None:
    places = [(a, b) for a in (lat - 0.05, lat + 0.05) for b in (-179.95, 179.95, 0.0, 90.0, -90.0)]
    stations = [
        KnownStation(str(at), *place, Codes(), "", "UTC", id=at) for at, place in enumerate(places)
    ]
    expected = sorted((distance_km(lat, lon, *place), at) for at, place in enumerate(places))
    found = StationIndex((each.lat, each.lon, each.id) for each in stations).around(lat, lon, 60)
    assert sorted(each.station for each in found) == sorted(at for km, at in expected if km <= 60)
    assert [each.km for each in found] == pytest.approx([km for km, _ in expected if km <= 60])


async def test_list_is_imported_once(site: Site) -> None:
    before = await site.id_of(KIEL)
    assert not await site.stations.import_list("built-in", "1", builtin_stations)
    assert await site.stations.import_list("built-in", "2", builtin_stations)
    assert await site.id_of(KIEL) == before


async def test_stations_are_found_by_name_code_and_coordinates(site: Site) -> None:
    async def slugs(text: str) -> list[str]:
        return [each.slug for each in (await site.stations.find(text, "en")).stations]

    assert await slugs("leuchtturm ki") == [LIGHTHOUSE]
    assert await slugs("EDDH") == ["hamburg-airport-eddh"]
    assert await slugs("02961") == [LIGHTHOUSE]
    assert await slugs("warnemuende") == ["rostock-warnemunde-04271"]
    assert await slugs("warnmünde") == ["rostock-warnemunde-04271"]
    assert (await slugs("54.5, 10.27"))[0] == LIGHTHOUSE
    # Live stations come first.
    assert (await slugs("kiel"))[0] == KIEL
    site.stations.record_report(await site.id_of(LIGHTHOUSE), NOW - 60)
    assert (await slugs("kiel"))[0] == LIGHTHOUSE


async def test_live_station_is_preferred_as_nearest(site: Site) -> None:
    place = Coordinates(54.38, 10.14)
    near = site.stations.nearest(place)
    assert near is not None and near.station == await site.id_of(KIEL)
    lighthouse = await site.id_of(LIGHTHOUSE)
    site.stations.record_report(lighthouse, NOW - 60)
    near = site.stations.nearest(place)
    assert near is not None and near.station == lighthouse
    assert near.km == pytest.approx(16, abs=0.5)
    assert site.stations.nearest(Coordinates(30.0, -40.0)) is None


async def test_town_names_are_in_requested_language(site: Site) -> None:
    await site.places.refresh()
    assert (await site.places.find("Münch", "de"))[0].name == "München"
    munich = (await site.places.find("muenchen", "en"))[0]
    assert (munich.name, munich.country) == ("Munich", "DE")
    kiel = (await site.places.find("kiel", "fr"))[0]
    assert (kiel.name, kiel.region, kiel.population) == ("Kiel", None, 252_668)


HOSTILE = ["%", "_", "'; DROP TABLE stations; --", '"', "\\", "\0", "q" * 10_000, "🌬️", " "]


async def test_unusual_queries_are_handled(tmp_path: Path) -> None:
    async with site_at(tmp_path):
        pass
    async with client_of(SERVICE, tmp_path) as client:
        stations = client.started.built.dependencies["stations"]
        assert isinstance(stations, Stations)
        await load_lists(stations, [])
        for text in HOSTILE:
            answer = await client.get("/api/stations", params={"q": text, "lang": text})
            assert answer.status_code == 200
            assert answer.json() == {"stations": [], "places": []}
        point = (await client.get("/api/stations?q=54.38,10.14&lang=de")).json()
        assert point["point"] == {"lat": 54.38, "lon": 10.14}
        assert point["stations"][0]["slug"] == KIEL
        assert (await client.get("/api/stations")).json() == {"stations": [], "places": []}
        for slug in ("nowhere", "x" * 5000, "%00", "..%2F..", "'"):
            for end in ("", "/live", "/stats"):
                path = f"/api/stations/{slug}{end}"
                assert await client.code("GET", path) == (404, "not_found")
        nearest = (await client.get("/api/point?lat=54.38&lon=10.14")).json()["nearest"]
        assert (nearest["station"]["slug"], nearest["station"]["live"]) == (KIEL, False)
        assert nearest["ranking"]["buckets"][0]["notice"] == "few_samples"
        page = (await client.get(f"/api/stations/{KIEL}")).json()
        assert (page["station"]["codes"], page["forecasts"]) == ({"dwd": "02564"}, [])
