"""Names of episodes; one table per notation."""

import datetime

import pytest

from quartet.media.names.parse import parse


def numbers(name: str) -> tuple[str | None, tuple[int, ...], tuple[int, ...]]:
    parsed = parse(name)
    assert parsed.kind.value == "episode"
    return parsed.title, parsed.seasons, parsed.episodes


@pytest.mark.parametrize(
    ("written", "seasons", "episodes"),
    [
        ("S02E05", (2,), (5,)),
        ("s2e5", (2,), (5,)),
        ("S02.E05", (2,), (5,)),
        ("S02 - E05", (2,), (5,)),
        ("S02EP05", (2,), (5,)),
        ("S2024E05", (2024,), (5,)),
        ("S02E1005", (2,), (1005,)),
        ("S02E05v2", (2,), (5,)),
        ("2x05", (2,), (5,)),
        ("02x05", (2,), (5,)),
        ("[2x05]", (2,), (5,)),
        ("S02E05E06", (2,), (5, 6)),
        ("S02E05-E07", (2,), (5, 6, 7)),
        ("S02E05-07", (2,), (5, 6, 7)),
        ("S02E05+E06", (2,), (5, 6)),
        ("S02E05 E06 E07", (2,), (5, 6, 7)),
        ("2x05-06", (2,), (5, 6)),
        ("2x05x06x07", (2,), (5, 6, 7)),
        ("S00E03", (0,), (3,)),
        ("S02", (2,), ()),
        ("S01-S03", (1, 2, 3), ()),
        ("S01-03", (1, 2, 3), ()),
        ("S2-07", (2,), (7,)),
        ("S02 - 07", (2,), (7,)),
    ],
)
def test_sxxeyy_numbers(written: str, seasons: tuple[int, ...], episodes: tuple[int, ...]) -> None:
    expected = ("Quiet Harbour", seasons, episodes)
    assert numbers(f"Quiet Harbour {written} The Storm 1080p WEB-DL x264-NORD.mkv") == expected
    dotted = f"Quiet.Harbour.{written.replace(' ', '.')}.1080p.WEB-DL.x264-NORD.mkv"
    assert numbers(dotted)[:2] == expected[:2]


@pytest.mark.parametrize(
    ("written", "seasons", "episodes"),
    [
        ("Season 2 Episode 5", (2,), (5,)),
        ("Season 2 - 05", (2,), (5,)),
        ("Season Two Episode 5", (2,), (5,)),
        ("2nd Season - 05", (2,), (5,)),
        ("Staffel 2 Folge 5", (2,), (5,)),
        ("2. Staffel 05", (2,), (5,)),
        ("Folge 5", (), (5,)),
        ("Saison 2 Épisode 5", (2,), (5,)),
        ("Temporada 2 Capitulo 5", (2,), (5,)),
        ("Temporada 2 [Cap.205]", (2,), (5,)),
        ("Stagione 2 Episodio 5", (2,), (5,)),
        ("Seizoen 2 Aflevering 5", (2,), (5,)),
        ("2.Sezon.5.Bölüm", (2,), (5,)),
        ("Сезон 2 Серия 5", (2,), (5,)),
        ("2 сезон 5 серия", (2,), (5,)),
        ("Сезон: 2 / Серии: 1-5", (2,), (1, 2, 3, 4, 5)),
        ("第2季 第5集", (2,), (5,)),
        ("第二季 第十五集", (2,), (15,)),
        ("第5話", (), (5,)),
        ("5화", (), (5,)),
        ("E05", (), (5,)),
        ("Ep. 5", (), (5,)),
        ("Episodes 5-7", (), (5, 6, 7)),
        ("Season 2", (2,), ()),
        ("Seasons 1-3", (1, 2, 3), ()),
        ("Season 1, 2 & 4", (1, 2, 4), ()),
        ("Season 1 to 3", (1, 2, 3), ()),
        ("The Complete Season 2", (2,), ()),
        ("3of6", (), (3,)),
    ],
)
def test_worded_numbers(written: str, seasons: tuple[int, ...], episodes: tuple[int, ...]) -> None:
    assert numbers(f"Quiet Harbour {written} [1080p].mkv") == ("Quiet Harbour", seasons, episodes)


@pytest.mark.parametrize(
    ("name", "title", "absolute"),
    [
        ("[Nord] Quiet Harbour - 12 [1080p].mkv", "Quiet Harbour", 12),
        ("[Nord]_Quiet_Harbour_-_12v2_[1080p][0A1B2C3D].mkv", "Quiet Harbour", 12),
        ("[Nord] Quiet Harbour 12 [0A1B2C3D].mkv", "Quiet Harbour", 12),
        ("[Nord] Quiet Harbour 2 - 12 [720p].mkv", "Quiet Harbour 2", 12),
        ("[Nord] Quiet Harbour - 1105 (720p).mkv", "Quiet Harbour", 1105),
        ("[Nord] Harbour 5-2 - 04 [720p].mkv", "Harbour 5-2", 4),
        ("[Nord][Quiet Harbour][12][1080p].mkv", "Quiet Harbour", 12),
        ("[北組][静かな港][Quiet Harbour][12][1080p][简体].mkv", "Quiet Harbour", 12),
        ("【北組】[静かな港][12][1080p].mkv", "静かな港", 12),
        ("[Nord] Quiet Harbour #12 (1080p).mkv", "Quiet Harbour", 12),
        ("Quiet Harbour - 012 - The Storm.mkv", "Quiet Harbour", 12),
        ("Mob Psycho 100 - 09.mkv", "Mob Psycho 100", 9),
    ],
)
def test_absolute_numbers(name: str, title: str, absolute: int) -> None:
    parsed = parse(name)
    assert (parsed.title, parsed.absolute, parsed.episodes) == (title, absolute, (absolute,))
    assert parsed.seasons == ()


def test_absolute_range() -> None:
    assert parse("[Nord] Quiet Harbour - 01-03 [720p].mkv").episodes == (1, 2, 3)
    assert parse("[Nord] Quiet Harbour (01 ~ 03) [720p].mkv").episodes == (1, 2, 3)
    assert parse("[Nord] Quiet Harbour - 01+02 [720p].mkv").episodes == (1, 2)


@pytest.mark.parametrize(
    "written", ["2020.02.16", "2020-02-16", "16.02.2020", "20200216", "16 Feb 2020"]
)
def test_air_dates(written: str) -> None:
    parsed = parse(f"Late Lantern {written} Some Guest 720p WEB.mkv")
    assert (parsed.kind.value, parsed.title) == ("episode", "Late Lantern")
    assert parsed.date == datetime.date(2020, 2, 16)


@pytest.mark.parametrize(
    ("name", "title", "seasons", "episodes"),
    [
        ("1883.S01E05.mkv", "1883", (1,), (5,)),
        ("90.Day.Fiance.S02E07.mkv", "90 Day Fiance", (2,), (7,)),
        ("Mob Psycho 100 - 09.mkv", "Mob Psycho 100", (), (9,)),
        ("The.100.S03E02.mkv", "The 100", (3,), (2,)),
        ("E.60.2020.02.16.mkv", "E 60", (), ()),
        ("Show.S01E02.3.Kings.mkv", "Show", (1,), (2,)),
        ("24 S01E24.mkv", "24", (1,), (24,)),
        ("9-1-1.S02E03.mkv", "9-1-1", (2,), (3,)),
        ("11.22.63.S01E01.mkv", "11 22 63", (1,), (1,)),
    ],
)
def test_titles_with_numbers(
    name: str, title: str, seasons: tuple[int, ...], episodes: tuple[int, ...]
) -> None:
    assert numbers(name) == (title, seasons, episodes)


def test_number_alone_is_a_title() -> None:
    assert (parse("The 100.mkv").title, parse("The 100.mkv").episodes) == ("The 100", ())
    assert parse("300.mkv").title == "300"


def test_title_may_end_with_a_digit_before_season_and_episode() -> None:
    assert numbers("Harbour.HR9.7x25-26.The.Storm.avi") == ("Harbour HR9", (7,), (25, 26))
    assert parse("Quiet.Harbour.2010.DD5.1x264-NORD.mkv").kind.value == "movie"


def test_year_and_country_are_separate_from_title() -> None:
    parsed = parse("Quiet.Harbour.2005.S01E02.mkv")
    assert (parsed.title, parsed.year) == ("Quiet Harbour", 2005)
    parsed = parse("Quiet.Harbour.US.S01E02.mkv")
    assert (parsed.title, parsed.country) == ("Quiet Harbour", "US")
    assert parse("This.Is.Us.S01E02.mkv").title == "This Is Us"


def test_specials() -> None:
    assert parse("Quiet Harbour S00E03.mkv").special
    assert parse("[Nord] Quiet Harbour - SP02 [1080p].mkv").episodes == (2,)
    ova = parse("[Nord] Quiet Harbour OVA - 02 [1080p].mkv")
    assert (ova.title, ova.special, ova.episodes) == ("Quiet Harbour OVA", True, (2,))
