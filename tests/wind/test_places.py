"""Towns and station lists, fetched from fake sources."""

import io
import json
import zipfile
from collections.abc import AsyncIterator
from math import cos, hypot, radians
from pathlib import Path

import pytest
from aiohttp import web

from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient
from quartet.wind.places import bundled
from quartet.wind.places.bundled import bundled_regions, bundled_spots
from quartet.wind.places.extracts import save_extract
from quartet.wind.places.geonames import Town
from quartet.wind.places.service import Places, fetch
from quartet.wind.places.water_spots import WaterSpots
from quartet.wind.stations import tasks
from tests.wind.station_setup import Site, site_at
from tests.wind.upstream import Provider, provider

pytestmark = pytest.mark.anyio


def town(number: int, name: str, others: str, people: int, country: str = "DE") -> str:
    fields = [str(number), name, name, others, "48.1", "11.5", "P", "PPLA", country, "", "02"]
    return "\t".join([*fields, "", "", "", str(people), "", "520", "Europe/Berlin", "2024-01-01"])


TOWNS = [
    town(2867714, "München", "Munich,Muenchen,Monaco di Baviera,Minga", 1_260_391),
    town(1, "Münchberg", "", 11_417),
    town(2, "Munich", "", 700, "US"),
    town(3, "Nowhere", "", 5).replace("48.1", "98.1"),
    "broken\tline",
    town(4, "River", "", 0).replace("\tP\t", "\tH\t"),
]
NAMES = [
    "1\t2867714\ten\tMunich\t1",
    "2\t2867714\tde\tMinga\t\t\t1",
    "3\t2867714\tde\tMünchen\t1",
    "4\t99\tde\tFremd\t1",
]


def put_few_towns(folder: Path) -> None:
    """Replace the included towns, of which an index takes seconds to build."""
    folder.mkdir()
    (folder / "cities1000.zip").write_bytes(zipped("cities1000", TOWNS))


def zipped(name: str, lines: list[str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}.txt", "\n".join(lines))
    return out.getvalue()


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Provider]:
    folder = tmp_path / "geonames"
    folder.mkdir()
    (folder / "cities1000.zip").write_bytes(zipped("cities1000", TOWNS))
    (folder / "admin1CodesASCII.txt").write_text("DE.02\tBavaria\tBavaria\t1\n")
    (folder / "alternateNamesV2.zip").write_bytes(zipped("alternateNamesV2", NAMES))
    async with provider(folder) as served:
        yield served


async def test_towns_are_fetched_once_and_found_in_any_language(
    served: Provider, tmp_path: Path
) -> None:
    places = Places(tmp_path / "places")
    async with OutboundClient(allow_private=True) as outbound:
        for _ in range(2):
            await fetch(places.folder, lambda: outbound, served.address, with_names=True)
            await places.refresh()
    assert len(served.asked) == 3
    munich, berg = await places.find("munch", "en")
    _, other = await places.find("munich", "en")
    assert (munich.name, munich.region, munich.population) == ("Munich", "Bavaria", 1_260_391)
    assert (berg.name, other.country) == ("Münchberg", "US")
    assert [each.name for each in await places.find("monaco di", "de")] == ["München"]
    assert await places.find("nowhere", "en") == []
    assert "River" not in {each.name for each in await places.find("river", "en")}


@pytest.mark.nightly
async def test_html_page_instead_of_dump_changes_nothing(served: Provider, tmp_path: Path) -> None:
    async def page(_request: web.Request) -> web.StreamResponse:
        return web.Response(text="<html>busy</html>")

    served.faults["cities1000.zip"] = page
    places = Places(tmp_path / "places")
    await places.refresh()
    async with OutboundClient(allow_private=True) as outbound:
        with pytest.raises(AppError, match="bad_answer"):
            await fetch(places.folder, lambda: outbound, served.address, with_names=False)
    await places.refresh()
    assert (await places.find("hamburg", "de"))[0].name == "Hamburg"


@pytest.mark.nightly
async def test_unreadable_dump_keeps_the_old_index(served: Provider, tmp_path: Path) -> None:
    places = Places(tmp_path / "places")
    await places.refresh()
    (places.folder / "cities1000.zip").write_bytes(zipped("cities1000", ["nothing"]))
    with pytest.raises(AppError, match="places_unreadable"):
        await places.refresh()
    assert await places.find("hamburg", "de")


async def test_bundled_places_lead_to_the_spots_people_mean(tmp_path: Path) -> None:
    places = Places(tmp_path / "places")
    await places.refresh()
    tarifa, *spots = await places.find("Tarifa", "en")
    assert (tarifa.country, round(tarifa.lat), round(tarifa.lon), tarifa.kind) == (
        "ES",
        36,
        -6,
        "town",
    )
    assert {"Los Lances", "Valdevaqueros"} <= {each.name for each in spots}
    assert all(each.population is None for each in spots if each.kind == "spot")
    (torbole, *_) = await places.find("torbole", "de")
    assert (torbole.kind, torbole.country, torbole.region) == ("spot", "IT", "Gardasee")
    for name in ("Gardasee", "lago di garda", "Lake Garda"):
        assert {each.region for each in await places.find(name, "en")} == {"Lake Garda"}, name
    assert {"Jois", "Mörbisch"} <= {each.name for each in await places.find("Neusiedler See", "de")}
    assert (await places.find("Kopenhagen", "de"))[0].name == "Kopenhagen"
    for name, country in (
        ("Hvide Sande", "DK"),
        ("Cabarete", "DO"),
        ("Essaouira", "MA"),
        ("Silvaplana", "CH"),
        ("Gilleleje", "DK"),
        ("Key Largo", "US"),
    ):
        found = (await places.find(name, "en"))[0]
        assert (found.name, found.country) == (name, country)


async def test_bundled_towns_have_german_and_english_names(tmp_path: Path) -> None:
    places = Places(tmp_path / "places")
    await places.refresh()
    for german, country in (
        ("Mailand", "IT"),
        ("Venedig", "IT"),
        ("Danzig", "PL"),
        ("Peking", "CN"),
        ("Mexiko-Stadt", "MX"),
        ("Neu-Delhi", "IN"),
    ):
        found = (await places.find(german, "de"))[0]
        assert (found.name, found.country) == (german, country)
    assert (await places.find("Köln", "en"))[0].name == "Cologne"
    assert (await places.find("Cologne", "de"))[0].name == "Köln"
    # Towns of the same name elsewhere keep theirs.
    others = {(each.name, each.country) for each in await places.find("Naples", "de")}
    assert {("Neapel", "IT"), ("Naples", "US")} <= others


def test_bundled_spots_are_complete_and_unique() -> None:
    spots = list(bundled_spots())
    assert {*bundled_regions()} <= {each.region for each in spots}
    assert len(spots) > 5900
    assert all(abs(each.lat) < 75 and abs(each.lon) <= 180 for each in spots)
    assert all(len(each.country) == 2 and each.country.isupper() for each in spots)
    # The same name may exist twice in a country, but not at the same place.
    places = [(each.name, each.country, round(each.lat, 1), round(each.lon, 1)) for each in spots]
    assert len(set(places)) == len(places)


def test_added_shores_are_not_next_to_another_spot() -> None:
    spots = list(bundled_spots())
    near: dict[tuple[int, int], list[Town]] = {}
    for each in spots:
        near.setdefault((round(each.lat * 50), round(each.lon * 50)), []).append(each)
    by_hand = bundled._FOLDER / "spots.tsv"
    shores = spots[len(by_hand.read_text("utf-8").splitlines()) :]
    too_near = [
        (each.name, other.name)
        for each in shores
        for row in (-1, 0, 1)
        for column in (-1, 0, 1)
        for other in near.get((round(each.lat * 50) + row, round(each.lon * 50) + column), [])
        if other.id != each.id and _kilometres(each, other) < 1
    ]
    assert not too_near


def _kilometres(one: Town, other: Town) -> float:
    east = (one.lon - other.lon) * cos(radians(one.lat))
    return hypot(one.lat - other.lat, east) * 111.2


def feature(number: int, name: str, kind: str, code: str) -> str:
    return town(number, name, "", 0).replace("\tP\tPPLA\t", f"\t{kind}\t{code}\t")


async def test_added_dump_and_extract_are_found(tmp_path: Path) -> None:
    folder = tmp_path / "places"
    dump, extract = tmp_path / "DE.zip", tmp_path / "kiel.geojsonseq"
    lines = [
        feature(11, "Hexenstrand", "T", "BCH"),
        feature(12, "Hexensee", "H", "LK"),
        feature(13, "Hexenhuk", "T", "CAPE"),
        feature(14, "Hexenhafen", "S", "MAR"),
        feature(15, "Hexenhotel", "S", "HTL"),
        "broken",
    ]
    dump.write_bytes(zipped("DE", lines))
    ring = [[[10.0, 54.0], [10.2, 54.0], [10.2, 54.4], [10.0, 54.0]]]
    rows = [
        ("Surfwiese", {"sport": "sailing; windsurfing"}, "Point", [10.1, 54.4]),
        ("Feldstrand", {"natural": "beach"}, "Polygon", ring),
        ("Feldweg", {"highway": "track"}, "Point", [10.1, 54.4]),
        ("Nirgends", {"natural": "cape"}, "Point", [1000.0, 54.4]),
    ]
    extract.write_text(
        "".join(
            "\x1e"
            + json.dumps(
                {
                    "type": "Feature",
                    "properties": {"name": name, **tags},
                    "geometry": {"type": kind, "coordinates": coordinates},
                }
            )
            + "\n"
            for name, tags, kind, coordinates in rows
        )
        + "broken\n"
    )
    put_few_towns(folder)
    assert (save_extract(folder, dump), save_extract(folder, extract)) == (4, 2)
    places = Places(folder)
    await places.refresh()
    found = {each.name: each.kind for each in await places.find("hexen", "de")}
    assert found == {
        "Hexenstrand": "beach",
        "Hexensee": "lake",
        "Hexenhuk": "cape",
        "Hexenhafen": "harbour",
    }
    (wiese,) = await places.find("surfwiese", "de")
    assert (wiese.kind, wiese.lat, wiese.lon) == ("spot", 54.4, 10.1)
    (beach,) = await places.find("feldstrand", "de")
    assert (beach.lat, beach.lon) == (54.2, 10.1)


async def test_added_spot_is_on_the_water_like_included_ones(tmp_path: Path) -> None:
    water = WaterSpots()
    places = Places(tmp_path / "places", water)
    put_few_towns(places.folder)
    await places.refresh()
    included = next(bundled_spots())
    assert water.surface_of(included.lat, included.lon) == "sea"
    assert water.surface_of(54.4, 10.1) is None
    save_extract(places.folder, spot_extract(tmp_path, "Surfwiese", 54.40449, 10.09512))
    await places.refresh()
    assert water.surface_of(54.4, 10.1) == "sea"
    assert water.surface_of(included.lat, included.lon) == "sea"
    # Another process may have built the index.
    other = WaterSpots()
    await Places(tmp_path / "places", other).refresh()
    assert other.surface_of(54.4, 10.1) == "sea"


def spot_extract(folder: Path, name: str, lat: float, lon: float) -> Path:
    """Write a spot for wind sports as `osmium export` does."""
    path = folder / "spots.geojsonseq"
    feature = {
        "type": "Feature",
        "properties": {"name": name, "sport": "kitesurfing"},
        "geometry": {"type": "Point", "coordinates": [lon, lat]},
    }
    path.write_text(f"\x1e{json.dumps(feature)}\n")
    return path


@pytest.mark.parametrize("name", ["DE.zip", "nothing.geojsonseq", "map.osm.pbf"])
def test_unreadable_extract_changes_nothing(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"nothing")
    with pytest.raises(AppError, match="places_unreadable") as error:
        save_extract(tmp_path / "places", path)
    assert not list((tmp_path / "places").rglob("*.*"))
    # The command line shows this sentence.
    assert name in error.value.__notes__[0]


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with site_at(tmp_path) as site:
        yield site


async def test_lists_add_stations_and_codes(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "lists"
    (folder / tasks.LIST_PATH).parent.mkdir(parents=True)
    rows = [
        f"{at:05} 19370101 29991231            202     {47 + at / 25:.4f}    6.0941"
        f" {f'Ort {at}':<40} Bayern"
        for at in range(60)
    ]
    (folder / tasks.LIST_PATH).write_text("\n".join(rows), "latin-1")
    catalogue = [
        f"10{at:03} {'EDDH' if at == 147 else '----'} {f'ORT {at}':<20}  "
        f"{53 if at == 147 else 48}.{37 if at == 147 else at % 60:02}    "
        f"{9 if at == 147 else at % 17}.59    10"
        for at in range(100, 160)
    ]
    (folder / "catalogue.cfg").write_text("\n".join(catalogue), "latin-1")
    async with provider(folder) as served, OutboundClient(allow_private=True) as outbound:
        address = f"{served.address}/catalogue.cfg"
        await tasks.fetch_lists(site.stations, outbound, served.address, address)
        hamburg = await site.stations.by_slug("hamburg-airport-eddh")
        assert hamburg.codes.wmo == "10147"
        assert (await site.stations.find("ort 59", "de")).stations
        count = len(await site.stations.everything())
        await tasks.fetch_lists(site.stations, outbound, served.address, address)
        assert len(await site.stations.everything()) == count
        (folder / "catalogue.cfg").write_text("<html>")
        await tasks.fetch_lists(site.stations, outbound, served.address, address)
        assert len(await site.stations.everything()) == count


@pytest.mark.parametrize("failing", ["dwd", "mosmix"])
async def test_failing_list_does_not_discard_the_other(
    failing: str, site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "lists"
    (folder / tasks.LIST_PATH).parent.mkdir(parents=True)
    rows = [
        f"{at:05} 19370101 29991231            202     {47 + at / 25:.4f}    6.0941"
        f" {f'Ort {at}':<40} Bayern"
        for at in range(60)
    ]
    catalogue = [
        f"10{at:03} ---- {f'ORT {at}':<20}  48.{at % 60:02}    {at % 17}.59    10"
        for at in range(100, 160)
    ]
    if failing != "dwd":
        (folder / tasks.LIST_PATH).write_text("\n".join(rows), "latin-1")
    if failing != "mosmix":
        (folder / "catalogue.cfg").write_text("\n".join(catalogue), "latin-1")
    before = len(await site.stations.everything())
    async with provider(folder) as served, OutboundClient(allow_private=True) as outbound:
        address = f"{served.address}/catalogue.cfg"
        await tasks.fetch_lists(site.stations, outbound, served.address, address)
    assert len(await site.stations.everything()) > before + 50
    assert f"could not fetch the station list {failing}" in caplog.text
