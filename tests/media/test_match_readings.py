"""The episode list decides how numbers are read, and titles stand in for missing numbers."""

import datetime
from pathlib import Path

import pytest

from quartet.media.catalog.absolute_numbers import with_absolute_numbers
from quartet.media.catalog.types import Candidate, Episode
from quartet.media.match.episodes import EpisodeList
from quartet.media.match.scoring import ranked
from quartet.media.match.search_groups import other_titles
from quartet.media.names.parse import parse
from tests.media.fake_provider import FakeProvider, fake_provider
from tests.media.match_harness import match_harness

SURE = 0.9


def letters(season: int, number: int) -> str:
    """Return a word for these numbers, because digits in a title would be read as numbers."""
    return str(season * 1000 + number).translate(str.maketrans("0123456789", "abcdefghij"))


def series(*lengths: int) -> EpisodeList:
    """Return a list with seasons of these lengths; one episode airs per day."""
    start = datetime.date(2010, 1, 1)
    listed = [
        Episode(
            season=season,
            episode=number,
            title=f"Storm {letters(season, number)}",
            air_date=str(start + datetime.timedelta(days=season * 100 + number)),
        )
        for season, length in enumerate(lengths, 1)
        for number in range(1, length + 1)
    ]
    return EpisodeList(with_absolute_numbers(listed))


def numbers(listed: EpisodeList, name: str) -> list[tuple[int, int]]:
    return [(each.season, each.episode) for each in listed.find(parse(name)).episodes]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Harbour.105.HDTV.mkv", [(1, 5)]),
        ("Harbour [Cap.104].mkv", [(1, 4)]),
        ("Harbour.103.104.HDTV.mkv", [(1, 3), (1, 4)]),
        ("Harbour - 1x01_02.mkv", [(1, 1), (1, 2)]),
        ("Harbour 1x03-x05.mkv", [(1, 3), (1, 4), (1, 5)]),
        ("Harbour.S02E05b.mkv", [(2, 5)]),
        ("Harbour - 205 - The Rain.mkv", [(2, 5)]),
        ("Harbour Episode 205.mkv", [(2, 5)]),
        ("Harbour.S09E77.2010.04.16.mkv", [(1, 5)]),
    ],
)
def test_reading_that_exists_is_chosen(name: str, expected: list[tuple[int, int]]) -> None:
    listed = series(13, 13, 13)
    assert numbers(listed, name) == expected
    assert listed.find(parse(name)).factor > SURE


def test_part_is_an_episode_of_a_mini_series() -> None:
    assert numbers(series(6), "Harbour.Part.Two.HDTV.mkv") == [(1, 2)]


def test_absolute_number_that_only_one_season_can_have_is_certain() -> None:
    listed = series(24, 24, 24)
    found = listed.find(parse("[Nord] Harbour - 70 [720p].mkv"))
    assert [(each.season, each.episode) for each in found.episodes] == [(3, 22)]
    assert found.factor > SURE
    assert "absolute_number" in listed.find(parse("[Nord] Harbour - 05 [720p].mkv")).reasons


def test_five_digit_number_is_found() -> None:
    listed = series(*([250] * 45))
    assert numbers(listed, "Harbour - Episode 10708.mkv") == [(43, 208)]


def test_two_existing_readings_need_review() -> None:
    found = series(*([30] * 10)).find(parse("Harbour.205.720p.mkv"))
    assert [(each.season, each.episode) for each in found.episodes] == [(2, 5)]
    assert found.factor < SURE
    assert "numbers_ambiguous" in found.reasons


def test_episode_title_decides_between_readings() -> None:
    found = series(*([30] * 10)).find(parse(f"Harbour.205.Storm.{letters(7, 25)}.720p.mkv"))
    assert [(each.season, each.episode) for each in found.episodes] == [(7, 25)]
    assert found.factor > SURE


@pytest.mark.parametrize(
    "name",
    ["Harbour - 70.mkv", "Harbour.E70.mkv", "[Nord] Harbour - 70 [720p].mkv", "Harbour.070.mkv"],
)
def test_unknown_number_is_never_a_special(name: str) -> None:
    regular = [Episode(season=1, episode=number) for number in range(1, 14)]
    specials = [Episode(season=0, episode=number) for number in range(1, 100)]
    found = EpisodeList(with_absolute_numbers(specials + regular)).find(parse(name))
    assert found.episodes == () and found.factor < SURE


@pytest.mark.parametrize(
    "name",
    ["[Nord] Harbour OVA 2 [BD].mkv", "[Nord] Harbour - SP02 [BD].mkv", "Harbour - Special 02.mkv"],
)
def test_numbered_special_is_never_an_episode(name: str) -> None:
    regular = [Episode(season=1, episode=number) for number in range(1, 14)]
    specials = [Episode(season=0, episode=number) for number in range(1, 4)]
    found = EpisodeList(with_absolute_numbers(specials + regular)).find(parse(name))
    assert [(each.season, each.episode) for each in found.episodes] == [(0, 2)]
    assert found.factor < SURE and found.reasons == ("special_uncertain",)


def specials_by_date() -> EpisodeList:
    """As TVmaze has them: in the order in which they were aired, without numbers of their own."""
    regular = [Episode(season=1, episode=1, title="Harbour Lights")]
    specials = [Episode(season=0, episode=n, title=f"Storm {letters(0, n)}") for n in range(1, 9)]
    return EpisodeList([*specials, *regular], numbers_specials=False)


@pytest.mark.parametrize("listed", [series(5), specials_by_date()], ids=["none", "unnumbered"])
def test_special_keeps_its_number_if_the_catalog_has_none(listed: EpisodeList) -> None:
    found = listed.find(parse("Harbour.S00E07.1080p.mkv"))
    assert (found.episodes, found.reasons) == ((), ("special_number",))
    assert found.factor == SURE


def test_special_with_a_title_keeps_its_number() -> None:
    found = specials_by_date().find(parse(f"Harbour.S00E57.Storm.{letters(0, 3)}.720p.mkv"))
    (special,) = found.episodes
    assert (special.season, special.episode, special.title) == (0, 57, f"Storm {letters(0, 3)}")


def test_special_with_the_title_of_an_episode_is_not_sure() -> None:
    found = specials_by_date().find(parse("Harbour.S00E01.Harbour.Lights.720p.mkv"))
    assert found.episodes == () and found.factor < SURE


def test_half_a_range_is_never_sure() -> None:
    assert series(5).find(parse("Harbour.S01E04-E08.mkv")).factor < SURE


def test_swapped_day_and_month_are_tried() -> None:
    assert numbers(series(13), "Harbour.12.04.2010.720p.mkv") == [(1, 1)]
    assert numbers(series(13), "Harbour.04.12.2010.720p.mkv") == [(1, 1)]


@pytest.mark.parametrize(
    ("name", "folders"),
    [
        (f"Storm {letters(2, 7)}.mkv", ["Harbour", "Season 2"]),
        (f"The Storm {letters(2, 7)}.mkv", ["Harbour", "Season 2"]),
    ],
)
def test_title_replaces_a_missing_number(name: str, folders: list[str]) -> None:
    found = series(13, 13).find(parse(name, folders))
    assert [(each.season, each.episode) for each in found.episodes] == [(2, 7)]
    assert "by_episode_title" in found.reasons


def test_title_of_another_episode_needs_review() -> None:
    found = series(13, 13).find(parse(f"Harbour.S01E03.Storm.{letters(2, 7)}.720p.mkv"))
    assert found.factor < SURE
    assert "episode_title_elsewhere" in found.reasons


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Law Order S01E01.mkv", "Law & Order"),
        ("Law.and.Order.S01E01.mkv", "Law & Order"),
        ("Office S01E01.mkv", "The Office"),
        ("Battlestar.Galactica.S01E01.mkv", "Battlestar Galactica (2003)"),
        ("Battlestar.Galactica.2003.S01E01.mkv", "Battlestar Galactica (2003)"),
        ("The.Office.US.S01E01.mkv", "The Office (US)"),
    ],
)
def test_small_differences_cost_little(name: str, title: str) -> None:
    candidate = Candidate(provider="demo", id="1", kind="series", title=title, year=2003)
    (found,) = ranked(parse(name), [candidate])
    assert found.score > SURE


def test_year_may_end_the_title() -> None:
    others = [(one.title, one.year) for one in other_titles(parse("Quiet.Harbour.1999.S01E02.mkv"))]
    assert others == [("Quiet Harbour 1999", None)]


def test_bracket_may_begin_the_title() -> None:
    assert parse("[HRB] 3 Genesis (2012).mkv").other_titles == ("HRB 3 Genesis",)


@pytest.mark.anyio
async def test_name_without_number_is_matched_by_show_and_episode(tmp_path: Path) -> None:
    expected = {
        "Firefly - Out of Gas.mkv": "Out of Gas",
        "firefly.out.of.gas.720p.mkv": "Out of Gas",
        "Game of Thrones The Rains of Castamere.mkv": "The Rains of Castamere",
        "Doctor Who (2005) - The Unquiet Dead.mkv": "The Unquiet Dead",
        "Doctor.Who.2005.Tooth.and.Claw.720p.mkv": "Tooth and Claw",
        "Firefly/Our Mrs Reynolds.mkv": "Our Mrs. Reynolds",
        "Firefly (2002)/Ariel.mkv": "Ariel",
        "Firefly - Quiet Harbour.mkv": None,
        "firefly.quiet.harbour.720p.mkv": None,
        "Firefly/Quiet Harbour.mkv": None,
    }
    async with match_harness(tmp_path) as at:
        names = [path.rpartition("/") for path in expected]
        found = await at.matcher.match(
            [parse(name, (folder,) if folder else ()) for folder, _, name in names]
        )
        titles = [each.episodes[0].title if each.episodes else None for each in found]
        assert titles == list(expected.values())
        assert all((each.confidence > SURE) == bool(each.episodes) for each in found)


HIT = {"id": 60625, "name": "Rick and Morty", "first_air_date": "2013-12-02"}
DETAILS = {**HIT, "seasons": [], "external_ids": {"tvdb_id": 275274, "imdb_id": "tt2861424"}}


def tmdb(server: FakeProvider) -> dict[str, object]:
    return {
        "seriesProvider": "tmdb",
        "keys": {"tmdb": "key"},
        "addresses": {"tmdb": server.address},
    }


@pytest.mark.anyio
async def test_automatic_and_manual_match_have_the_same_ids(tmp_path: Path) -> None:
    answers = {"/search/tv": {"results": [HIT]}, "/tv/60625": DETAILS}
    async with (
        fake_provider(answers) as server,
        match_harness(tmp_path, demo=False, **tmdb(server)) as at,
    ):
        names = [f"Rick.and.Morty.S01E0{number}.mkv" for number in range(1, 6)]
        found = await at.match(*names)
        (chosen,) = await at.matcher.choose([parse(names[0])], "series", "tmdb", "60625")
        assert chosen.best and chosen.best.ids.tvdb == 275274
        assert {each.best for each in found} == {chosen.best}
        appended = [one for one in server.requests if "alternative" in str(one.query)]
        assert len(appended) == 1
