"""Reading PMTiles archives, own and third-party ones."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.wind.basemap.archive import Archive, FileVersion
from quartet.wind.basemap.hilbert import tile_id
from quartet.wind.basemap.pmtiles import ArchiveHeader, Directory, UnreadableArchive, decompress
from tests.wind.pmtiles_files import Tiles, archive, parts_of

SAMPLES = os.environ.get("QUARTET_WIND_SAMPLES")
real_files = pytest.mark.skipif(
    not SAMPLES, reason="QUARTET_WIND_SAMPLES names no folder with real files"
)


def opened(path: Path) -> Archive:
    stamp = FileVersion.of(path)
    assert stamp is not None
    return Archive(stamp)


def test_tile_ids_match_the_specification() -> None:
    places = [(0, 0, 0), (1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0), (2, 0, 0), (2, 1, 0)]
    assert [tile_id(*place) for place in places] == [0, 1, 2, 3, 4, 5, 6]
    assert tile_id(20, 0, 0) == (4**20 - 1) // 3


@given(st.integers(0, 26))
def test_tile_ids_of_zoom_levels_do_not_overlap(z: int) -> None:
    last = (1 << z) - 1
    corners = {tile_id(z, x, y) for x in (0, last) for y in (0, last)}
    assert min(corners) == (4**z - 1) // 3
    assert max(corners) == (4 ** (z + 1) - 1) // 3 - 1


@st.composite
def some_tiles(draw: st.DrawFn) -> Tiles:
    places = draw(st.sets(st.integers(0, 4**5 - 1), min_size=1, max_size=60))
    contents = st.sampled_from([b"sea", b"land", b"coast" * 50])
    return {(5, place % 32, place // 32): draw(contents) for place in places}


@given(some_tiles())
def test_written_tiles_can_be_read(tmp_path_factory: pytest.TempPathFactory, tiles: Tiles) -> None:
    made = opened(archive(tmp_path_factory.mktemp("maps"), "a.pmtiles", tiles))
    for x in range(32):
        for y in range(32):
            found = made.tile(5, x, y)
            wanted = tiles.get((5, x, y))
            assert (found and decompress(found.data, 2)) == wanted
    assert made.tile(4, 0, 0) is None and made.tile(6, 0, 0) is None


@given(st.binary(max_size=300))
def test_random_bytes_are_rejected_cleanly(data: bytes) -> None:
    for read in (ArchiveHeader.read, Directory, lambda part: decompress(part, 2)):
        with suppress(UnreadableArchive):
            read(data)


@real_files
def test_third_party_archives_are_read() -> None:
    folder = Path(SAMPLES or "") / "pmtiles"
    small = opened(folder / "test_fixture_1.pmtiles")
    assert small.extent.tiles == "mvt" and small.header.bounds == pytest.approx((0, 0, 1, 1))
    tile = small.tile(0, 0, 0)
    assert tile is not None and tile.gzipped
    assert parts_of(decompress(tile.data, 2))

    france = opened(folder / "ne_10m_admin_0_france_with_leaf_dir.pmtiles")
    assert (france.header.min_zoom, france.header.max_zoom) == (3, 5)
    found = [
        (z, x, y)
        for z in (3, 4, 5)
        for x in range(1 << z)
        for y in range(1 << z)
        if france.tile(z, x, y)
    ]
    assert len(found) == 8 and (5, 16, 11) in found

    mountain = opened(folder / "usgs-mt-whitney-8-15-webp-512.pmtiles")
    assert mountain.extent.tiles == "webp"
    top = mountain.tile(8, 43, 100)
    assert top is not None and top.data[8:12] == b"WEBP" and not top.gzipped


@real_files
@pytest.mark.parametrize("name", ["invalid.pmtiles", "invalid_v4.pmtiles", "empty.pmtiles"])
def test_damaged_third_party_archives_are_rejected(name: str) -> None:
    with pytest.raises(UnreadableArchive):
        opened(Path(SAMPLES or "") / "pmtiles" / name)
