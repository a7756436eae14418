"""No name may break or slow down the parser."""

import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.media.names.parse import parse

# Words with a meaning for the parser, and look-alike characters.
VOCABULARY = (
    "Quiet Harbour S01E02 S01 E05 1x02 Season Staffel Episode Folge 2 05 1080p 720 2019 (2019)"
    " [Nord] - _ . / [ ] ( ) 【 】 x264 DDP5 1 WEB DL German 12v2 第3話 Сезон Серия of 3of6 4K vol"
    " OVA2 # + ~ tt0133093 {tmdb-5} www. site. \u00b2 \u017fix \u0130 \u0661\u0662 \u202e \x00 Feb"
)
WORDS = st.sampled_from(VOCABULARY.split(" "))
NAMES = st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=25).map(" ".join))


@given(NAMES, st.lists(NAMES, max_size=3))
def test_parsing_is_deterministic(name: str, folders: list[str]) -> None:
    parsed = parse(name, folders)
    assert parsed == parse(name, folders)
    assert 0 <= parsed.kind.confidence <= 1
    assert parsed.title is None or parsed.title.strip() == parsed.title != ""
    assert len(parsed.episodes) <= 10_000


@given(st.integers(0, 40), st.integers(0, 400))
def test_every_episode_number_is_read(season: int, episode: int) -> None:
    parsed = parse(f"Quiet.Harbour.S{season:02}E{episode:02}.1080p.WEB-DL.x264-NORD.mkv")
    assert (parsed.seasons, parsed.episodes) == ((season,), (episode,))


@given(st.integers(1920, 2030))
def test_every_year_is_read(year: int) -> None:
    assert parse(f"Quiet Harbour ({year}).mkv").year == year


PIECES = ["a", ".", "-", " ", "(", "[", "1", "S01E01", "1x", "E1", "1-", "Season 1, ", "1,", "a1 "]
PIECES += [
    "第",
    "港 a",
    "ab. ",
    "19 ",
    "2019 ",
    "2019.01.",
    "x264 ",
    "/ ",
    " - 01",
    "[01]",
    "''",
    "+",
]


@pytest.mark.parametrize("piece", PIECES)
def test_ten_kilobyte_name_is_parsed_quickly(piece: str) -> None:
    name = piece * (10_000 // len(piece)) + ".mkv"
    begun = time.process_time()
    parse(name, [name, name])
    assert time.process_time() - begun < 0.25


def test_names_that_are_not_utf8_can_be_encoded() -> None:
    parsed = parse("Quiet\udcff Harbour (2019).mkv", ["\udcfe"])
    assert msgspec.json.encode(parsed)
    assert parsed.year == 2019


def test_huge_range_is_not_expanded() -> None:
    assert len(parse("Quiet Harbour S01E01-E9999.mkv").episodes) <= 2
