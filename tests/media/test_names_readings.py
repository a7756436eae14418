"""Names whose numbers can be read in several ways, and lists of episodes in many spellings."""

import datetime

import pytest

from quartet.media.names.parse import parse
from quartet.media.names.types import Parsed

SURE = 0.9


def numbers(parsed: Parsed) -> tuple[str | None, tuple[int, ...], tuple[int, ...]]:
    return parsed.title, parsed.seasons, parsed.episodes


@pytest.mark.parametrize(
    ("name", "title", "season", "episodes"),
    [
        ("Quiet.Harbour.105.HDTV.XviD-NORD.avi", "Quiet Harbour", 1, (5,)),
        ("Quiet.Harbour.105.720p.WEB.x264-NORD.mkv", "Quiet Harbour", 1, (5,)),
        ("Quiet.Harbour.105.The.Storm.HDTV.mkv", "Quiet Harbour", 1, (5,)),
        ("Quiet.Harbour.1005.720p.HDTV.mkv", "Quiet Harbour", 10, (5,)),
        ("Quiet Harbour 0105 DVDRip.avi", "Quiet Harbour", 1, (5,)),
        ("Quiet.Harbour.103.104.hdtv-nord.avi", "Quiet Harbour", 1, (3, 4)),
        ("Quiet Harbour - 103-104 - The Storm.avi", "Quiet Harbour", 1, (3, 4)),
        ("Quiet Harbour [105] The Storm.avi", "Quiet Harbour", 1, (5,)),
        ("El puerto [HDTV][Cap.104][Castellano].avi", "El puerto", 1, (4,)),
        ("El puerto [HDTV][Cap.104_105][Castellano].avi", "El puerto", 1, (4, 5)),
        ("El puerto [Cap.104 al 105].avi", "El puerto", 1, (4, 5)),
        ("Quiet Harbour - 1x01_02 - Pilot.avi", "Quiet Harbour", 1, (1, 2)),
        ("Quiet Harbour 1x03-x05.avi", "Quiet Harbour", 1, (3, 4, 5)),
        ("Quiet Harbour - 1x03, 1x04 - Pilot.avi", "Quiet Harbour", 1, (3, 4)),
        ("Quiet Harbour 1x03 al 1x05 720p.mkv", "Quiet Harbour", 1, (3, 4, 5)),
        ("Quiet.Harbour.S02E05b.mkv", "Quiet Harbour", 2, (5,)),
        ("Quiet.Harbour.Series.4.Part.5.720p.HDTV.mkv", "Quiet Harbour", 4, (5,)),
        ("Quiet Harbour S02E05 to E07 720p.mkv", "Quiet Harbour", 2, (5, 6, 7)),
        ("Quiet Harbour S02E05, 06, 07 720p.mkv", "Quiet Harbour", 2, (5, 6, 7)),
        ("Quiet_Harbour_S02E05_06_WEB.mkv", "Quiet Harbour", 2, (5, 6)),
        ("Quiet Harbour Season 2 Episodes 5 to 7 720p.mkv", "Quiet Harbour", 2, (5, 6, 7)),
        ("Quiet Harbour Season 2 Episode 5 and 6.mkv", "Quiet Harbour", 2, (5, 6)),
        ("Quiet Harbour Season 2 E05.mkv", "Quiet Harbour", 2, (5,)),
        ("Quiet Harbour - Season Two - Episode Five.mkv", "Quiet Harbour", 2, (5,)),
        ("Der Hafen Staffel 2 Folge 5 bis 7.mkv", "Der Hafen", 2, (5, 6, 7)),
        ("Le Port Saison 2 Épisodes 5 à 7 FRENCH.mkv", "Le Port", 2, (5, 6, 7)),
        ("De Haven Seizoen 2 Afl. 5 en 6.avi", "De Haven", 2, (5, 6)),
        ("Liman 2. Sezon 5. Bölüm 720p.mkv", "Liman", 2, (5,)),
        ("Liman 2. Sezon 5-7. Bölümler 720p.mkv", "Liman", 2, (5, 6, 7)),
        ("Гавань (2 сезон: 5-7 серии из 10).mkv", "Гавань", 2, (5, 6, 7)),
        ("QuietHarbourS02E05.mkv", "QuietHarbour", 2, (5,)),
        ("QuietHarbourS02E05720p.mkv", "QuietHarbour", 2, (5,)),
        ("lol-quiet.harbour.s02e05.720p.mkv", "quiet harbour", 2, (5,)),
        ("The.Final.Season.S02E05.mkv", "The Final Season", 2, (5,)),
        ("Un.port.français.S02E05.FRENCH.720p.mkv", "Un port français", 2, (5,)),
        ("[S02E05] Quiet Harbour - The Storm.mkv", "Quiet Harbour", 2, (5,)),
    ],
)
def test_season_and_episodes(name: str, title: str, season: int, episodes: tuple[int, ...]) -> None:
    assert numbers(parse(name)) == (title, (season,), episodes)


@pytest.mark.parametrize(
    ("name", "title", "episodes"),
    [
        ("Quiet Harbour - Episode 10708.mp4", "Quiet Harbour", (10708,)),
        ("Quiet.Harbour.E10708.WEB.mkv", "Quiet Harbour", (10708,)),
        ("Quiet.Harbour.Part.Two.HDTV.x264-NORD", "Quiet Harbour", (2,)),
        ("Quiet.Harbour.Part.1.and.Part.2.HDTV-NORD", "Quiet Harbour", (1, 2)),
        ("Quiet Harbour - Part 2 - The Storm.mkv", "Quiet Harbour", (2,)),
        ("Quiet.Harbour.Miniseries.Part.3.DVDRip.mkv", "Quiet Harbour", (3,)),
        ("Quiet Harbour 74 [720p].mkv", "Quiet Harbour", (74,)),
        ("104. Quiet Harbour - The Storm.avi", "Quiet Harbour", (104,)),
        ("[NORD] 86 02 [1080p].mkv", "86", (2,)),
        ("[NORD][港口][第37话][720p][简体].mkv", "港口", (37,)),
        ("[NORD][Quiet Harbour][10v2][720p][CHS].mkv", "Quiet Harbour", (10,)),
        ("港口之歌82.mkv", "港口之歌", (82,)),
        ("항구 제63화 720p.mkv", "항구", (63,)),
        ("[NORD] Minato - 22 「Day 2」 (1280x720).mkv", "Minato", (22,)),
    ],
)
def test_episodes_without_season(name: str, title: str, episodes: tuple[int, ...]) -> None:
    assert numbers(parse(name)) == (title, (), episodes)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Room.237.2012.1080p.mkv", "Room 237"),
        ("Apollo.13.1080p.BluRay.mkv", "Apollo 13"),
        ("OSS_117--Quiet_Harbour.mkv", "OSS 117--Quiet Harbour"),
        ("Harbour.Part.Two.2024.1080p.mkv", "Harbour Part Two"),
        ("UFC.247.PPV.HDTV.x264-NORD", "UFC 247"),
    ],
)
def test_number_in_movie_title(name: str, title: str) -> None:
    parsed = parse(name)
    assert (parsed.kind.value, parsed.title, parsed.episodes) == ("movie", title, ())


def test_date_next_to_numbers_is_kept() -> None:
    day = datetime.date(2017, 4, 17)
    for name in ("Harbour.S02E05.2017.04.17.mkv", "Harbour.2017.04.17.S02E05.720p.mkv"):
        parsed = parse(name)
        assert (*numbers(parsed), parsed.date) == ("Harbour", (2,), (5,), day)
    assert parse("Harbour Episode 334 2017.04.17.mkv").date == day


def test_ambiguous_number_lists_the_other_readings() -> None:
    absolute = parse("Quiet Harbour - 211 - The Storm.avi")
    assert (absolute.seasons, absolute.episodes) == ((), (211,))
    assert next((r.seasons, r.episodes) for r in absolute.other_readings) == ((2,), (11,))
    compact = parse("Quiet.Harbour.211.720p.mkv")
    assert (compact.seasons, compact.episodes) == ((2,), (11,))
    movie = next(r for r in compact.other_readings if r.kind == "movie")
    assert movie.title == "Quiet Harbour 211"
    assert max(absolute.kind.confidence, compact.kind.confidence) < SURE


def test_title_like_a_date_is_another_reading() -> None:
    (movie,) = parse("Fahrenheit.9.11.2004.mkv").other_readings
    assert (movie.kind, movie.title) == ("movie", "Fahrenheit 9 11")
    assert not parse("Quiet.Harbour.09.11.2004.mkv").other_readings


def test_clear_code_has_no_other_readings() -> None:
    parsed = parse("Quiet.Harbour.S02E11.The.Storm.720p.WEB.mkv")
    assert not parsed.other_readings
    assert parsed.episode_title == "The Storm"


def test_unexplained_number_after_the_episode_lowers_the_confidence() -> None:
    assert parse("Quiet.Harbour.S02E05.720p.mkv").kind.confidence >= SURE
    assert parse("Quiet.Harbour.S02E05.9.720p.mkv").kind.confidence < SURE


def test_folder_name_of_digits_is_the_title() -> None:
    assert parse("S01E02 - Pilot.mkv", ["24", "Season 1"]).title == "24"


def test_left_over_tag_in_a_movie_title_lowers_the_confidence() -> None:
    assert parse("Quiet.Harbour.2011.720p.mkv").kind.confidence >= SURE
    assert parse("Quiet Harbour Uncut (2011).mkv").kind.confidence >= SURE
    assert parse("The Last Cam (2011).mkv").kind.confidence < SURE


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("[Group] 86 - Eighty Six - 23 END [1080p].mkv", ("86 - Eighty Six", (), (23,))),
        ("quiet_harbour_824_[720p]_[aac].mkv", ("quiet harbour", (), (824,))),
        ("Quiet.Harbour.8903.1080p.WEB-DL", ("Quiet Harbour", (), (8903,))),
        ("The Harbour (1990) Part Five - The Storm.mkv", ("The Harbour", (), (5,))),
        ("Quiet.Harbour.S01.a.S05.FRENCH.1080p.WEB", ("Quiet Harbour", (1, 2, 3, 4, 5), ())),
        ("Quiet Harbour Seizoen 1 t-m 3 NL 1080p", ("Quiet Harbour", (1, 2, 3), ())),
    ],
)
def test_competing_readings(
    name: str, expected: tuple[str, tuple[int, ...], tuple[int, ...]]
) -> None:
    assert numbers(parse(name, ())) == expected


def test_date_before_the_time_of_a_recording() -> None:
    parsed = parse("Quiet_Harbour_23.04.17_20-15_ard_90_TVOON_DE.mpg.avi", ())
    assert (parsed.title, parsed.date) == ("Quiet Harbour", datetime.date(2023, 4, 17))
