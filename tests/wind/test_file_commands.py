"""Commands that read files or servers, here with small ones."""

import asyncio
import gzip
import json
import struct
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from quartet.cli import main
from quartet.wind.basemap.archive_writer import ArchiveInfo, write_archive
from tests.wind.upstream import provider

pytestmark = pytest.mark.anyio


def wind(folder: Path, *arguments: str, **variables: str) -> Result:
    words = ["wind", *arguments, "--data", str(folder / "data")]
    return CliRunner(env={"WIND_ALLOW_PRIVATE_ADDRESSES": "true", **variables}).invoke(main, words)


def ring(number: int, level: int, size: int, inside: int) -> bytes:
    corners = [(0, 0), (size, 0), (size, size), (0, size), (0, 0)]
    head = struct.pack(">11i", number, 5, level, 0, 0, 0, 0, 0, 0, inside, -1)
    points = (struct.pack(">ii", (9 + x) * 10**6, (47 + y) * 10**6) for x, y in corners)
    return head + b"".join(points)


def test_lakes_are_added(tmp_path: Path) -> None:
    source = tmp_path / "gshhs_f.b"
    source.write_bytes(ring(0, 1, 20, -1) + ring(1, 2, 1, 0))
    assert wind(tmp_path, "add-lakes", str(source)).output == "1 lakes\n"
    source.write_bytes(b"")
    assert wind(tmp_path, "add-lakes", str(source)).exit_code == 1


def test_places_are_added(tmp_path: Path) -> None:
    source = tmp_path / "beaches.geojsonseq"
    beach = {
        "type": "Feature",
        "properties": {"name": "Feldstrand", "natural": "beach"},
        "geometry": {"type": "Point", "coordinates": [10.1, 54.4]},
    }
    source.write_text(json.dumps(beach) + "\n")
    result = wind(tmp_path, "add-places", str(source))
    assert result.output == "beaches.geojsonseq: 1 places\n"


async def test_basemap_is_fetched(tmp_path: Path) -> None:
    info = ArchiveInfo((-180, -85, 180, 85), 0, 5, {"attribution": "us", "vector_layers": []})
    tiles = {(z, x, y): b"sea" for z in range(6) for x in range(1 << z) for y in range(1 << z)}
    folder = tmp_path / "planets"
    folder.mkdir()
    day = time.strftime("%Y%m%d", time.gmtime())
    (folder / f"{day}.pmtiles").write_bytes(write_archive(tiles, info))
    async with provider(folder) as served:
        area = ("fetch-basemap", "9,53,12,55", "--max-zoom", "5")
        address = {"WIND_PROTOMAPS_ADDRESS": served.address}
        result = await asyncio.to_thread(wind, tmp_path, *area, **address)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "data" / "wind" / "maps" / "basemap.pmtiles").is_file()


def test_source_that_does_not_answer_fails_the_check(tmp_path: Path) -> None:
    # Nothing listens on this port.
    stopped = {"WIND_DWD_ADDRESS": "http://127.0.0.1:1"}
    result = wind(tmp_path, "check-sources", "--model", "icon-d2", **stopped)
    assert result.exit_code == 1
    assert "icon-d2" in result.output


async def test_measurements_are_part_of_the_check(tmp_path: Path) -> None:
    """One source is fine, one sends an error page with status 200, and the others are missing."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    metars = "".join(f"EDHI 010000Z 09011KT,EDHI,{now}\n" for _ in range(1000))
    folder = tmp_path / "served"
    (folder / "data/cache").mkdir(parents=True)
    (folder / "data/cache/metars.cache.csv.gz").write_bytes(
        gzip.compress(f"raw_text,station_id,observation_time\n{metars}".encode())
    )
    (folder / "10147-BEOB.csv").write_text("<html>come back later</html>")
    async with provider(folder) as served:
        names = ("DWD", "AVIATION", "POI", "CDC", "PEGELONLINE")
        addresses = {f"WIND_{name}_ADDRESS": served.address for name in names}
        addresses["WIND_MOSMIX_CATALOGUE"] = served.address
        result = await asyncio.to_thread(
            wind, tmp_path, "check-sources", WIND_MODELS="icon-d2", **addresses
        )
    assert result.exit_code == 1
    rows = [line.split() for line in result.output.splitlines() if line]
    assert ["metar", "1000", "ok"] in rows, result.output
    assert ["poi", "0", "report_unreadable"] in rows
    assert ["taf", "0", "not", "found"] in rows and ["cdc", "0", "not", "found"] in rows
