"""Seasons, episodes, parts and dates as names in other languages write them."""

# ruff: noqa: RUF001 - letters of other scripts are meant.

import datetime

import pytest

from quartet.media.names.parse import parse

DAY = datetime.date(2021, 3, 12)


@pytest.mark.parametrize(
    ("written", "season"),
    [
        ("Second Season", 2),
        ("The Complete Third Season", 3),
        ("The Complete Fourth Series", 4),
        ("Zweite Staffel", 2),
        ("Die komplette dritte Staffel", 3),
        ("Tercera Temporada", 3),
        ("Deuxième Saison", 2),
        ("La saison 3 complète", 3),
        ("Seconda Stagione", 2),
        ("Stagione Terza", 3),
        ("Tweede seizoen", 2),
        ("Второй сезон", 2),
        ("Series Two", 2),
        ("T04", 4),
        ("T4 Completa", 4),
    ],
)
def test_season_in_words_is_read(written: str, season: int) -> None:
    parsed = parse(f"Quiet Harbour {written} 1080p")
    assert (parsed.title, parsed.seasons, parsed.episodes) == ("Quiet Harbour", (season,), ())


@pytest.mark.parametrize(
    "written",
    ["Series 1-3", "Season 1 to Season 3", "Season 01 - Season 03", "S01E01-S03E08", "S1+S2+S3"],
)
def test_several_seasons_are_read(written: str) -> None:
    parsed = parse(f"Quiet Harbour {written} 1080p")
    assert (parsed.title, parsed.seasons, parsed.episodes) == ("Quiet Harbour", (1, 2, 3), ())


@pytest.mark.parametrize(
    "written",
    [
        "Die komplette Serie German DVDRip",
        "La serie completa [Castellano]",
        "L'intégrale de la série FRENCH",
        "De Complete Serie DUTCH 1080p",
        "Все сезоны 1080p",
    ],
)
def test_whole_series_is_no_part_of_the_title(written: str) -> None:
    assert parse(f"Quiet Harbour - {written}").title == "Quiet Harbour"


@pytest.mark.parametrize(
    "written",
    [
        "12 de março de 2021",
        "12 marzo 2021",
        "12. März 2021",
        "du 12 mars 2021",
        "12 марта 2021",
        "12 marca 2021",
        "12 Mart 2021",
        "12 mrt 2021",
        "2021年3月12日",
        "2021년 3월 12일",
        "20210312期",
        "12.03.21",
        "12-03-21",
        "210312",
    ],
)
def test_air_date_in_other_languages_is_read(written: str) -> None:
    parsed = parse(f"Quiet Harbour {written}.mp4")
    assert (parsed.title, parsed.date, parsed.episodes) == ("Quiet Harbour", DAY, ())


def test_six_digits_that_are_no_date_stay_in_the_title() -> None:
    assert parse("Quiet Harbour 219912.mp4").date is None


@pytest.mark.parametrize(
    ("written", "seasons", "episodes"),
    [
        ("第3季第12期", (3,), (12,)),
        ("第12期", (), (12,)),
        ("第2期 第12話", (2,), (12,)),
        ("第一百零二集", (), (102,)),
        ("01-12集", (), tuple(range(1, 13))),
        ("更新至12集", (), tuple(range(1, 13))),
        ("EP12", (), (12,)),
        ("(5)", (), (5,)),
    ],
)
def test_chinese_and_japanese_numbers_are_read(
    written: str, seasons: tuple[int, ...], episodes: tuple[int, ...]
) -> None:
    for space in (" ", ""):
        parsed = parse(f"静かな港{space}{written}.mp4")
        assert (parsed.title, parsed.seasons, parsed.episodes) == ("静かな港", seasons, episodes)


@pytest.mark.parametrize(
    ("written", "seasons", "episodes"),
    [
        ("2기 12화", (2,), (12,)),
        ("1-3화", (), (1, 2, 3)),
        ("1화~3화", (), (1, 2, 3)),
        ("12부", (), (12,)),
    ],
)
def test_korean_numbers_are_read(
    written: str, seasons: tuple[int, ...], episodes: tuple[int, ...]
) -> None:
    parsed = parse(f"조용한 항구 {written}.mp4")
    assert (parsed.title, parsed.seasons, parsed.episodes) == ("조용한 항구", seasons, episodes)


@pytest.mark.parametrize(
    "name",
    [
        "[Nord] 静かな港 第二季 / Quiet Harbour - 05 [1080p].mkv",
        "[Nord][静かな港 第2季][Quiet Harbour Season 2][2002][05][AVC][1080P]",
        "[Nord] 静かな港 第二季 Quiet Harbour Ⅱ [05] [1080p]",
        "[Nord] Quiet Harbour Second Season - 05 [1080p].mkv",
    ],
)
def test_episode_far_behind_its_season_is_read(name: str) -> None:
    parsed = parse(name)
    assert parsed.title in ("静かな港", "Quiet Harbour")
    assert (parsed.seasons, parsed.episodes) == ((2,), (5,))


@pytest.mark.parametrize(
    ("written", "episodes"),
    [
        ("2. Teil", (2,)),
        ("3ème partie", (3,)),
        ("(3e partie)", (3,)),
        ("2 часть", (2,)),
        ("del 2 av 5", (2,)),
        ("deel 2 van 4", (2,)),
        ("(1-3 из 12)", (1, 2, 3)),
        ("[01-03 из 12]", (1, 2, 3)),
    ],
)
def test_part_of_a_miniseries_is_read(written: str, episodes: tuple[int, ...]) -> None:
    parsed = parse(f"Quiet Harbour {written}.avi")
    assert (parsed.title, parsed.episodes) == ("Quiet Harbour", episodes)


def test_four_digits_after_spaces_count_all_episodes() -> None:
    counted, scene = (
        parse("Quiet Harbour 1015 - The Storm.mkv"),
        parse("quiet.harbour.1015.hdtv.mkv"),
    )
    assert (counted.seasons, counted.episodes) == ((), (1015,))
    assert (scene.seasons, scene.episodes) == ((10,), (15,))
    assert ((10,), (15,)) in [(one.seasons, one.episodes) for one in counted.other_readings]
    assert ((), (1015,)) in [(one.seasons, one.episodes) for one in scene.other_readings]
