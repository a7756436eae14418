from pathlib import Path

import pytest

from quartet.kernel.errors import AppError
from quartet.media.match.name_facts import name_facts
from quartet.media.match.types import OverrideKey
from quartet.media.names.parse import parse
from quartet.media.naming.presets import PRESETS
from quartet.media.naming.render import render
from tests.media.match_harness import match_harness

pytestmark = pytest.mark.anyio

SURE = 0.9


@pytest.mark.parametrize(
    ("name", "title", "year"),
    [
        ("Inception (2010).mkv", "Inception", 2010),
        ("Blade.Runner.2049.2017.1080p.BluRay.x264-GRP.mkv", "Blade Runner 2049", 2017),
        ("2012 (2009).mkv", "2012", 2009),
        ("Total.Recall.2012.720p.mkv", "Total Recall", 2012),
        ("Total.Recall.1990.720p.mkv", "Total Recall", 1990),
        ("千と千尋の神隠し (2001).mkv", "Spirited Away", 2001),
        ("Сталкер (1979).mkv", "Stalker", 1979),
        ("기생충.2019.1080p.mkv", "Parasite", 2019),
        ("Wall-E (2008).mkv", "WALL·E", 2008),
        ("Oceans.Eleven.2001.mkv", "Ocean's Eleven", 2001),
        ("Le.Fabuleux.Destin.d.Amelie.Poulain.2001.mkv", "Amélie", 2001),
    ],
)
async def test_confident_matches(tmp_path: Path, name: str, title: str, year: int) -> None:
    async with match_harness(tmp_path) as at:
        found = await at.one(name)
        assert found.best
        assert (found.best.title, found.best.year) == (title, year)
        assert found.confidence > SURE


@pytest.mark.parametrize(
    "name",
    [
        "Total Recall.mkv",
        "Total.Recall.2003.mkv",
        "King Kong (1990).mkv",
        "Inception.mkv",
        "Inception (1999).mkv",
        "The Room (2003).mkv",
        "Rocky V (1990).mkv",
        "Toy.Story.5.2026.mkv",
        "Doctor.Who.S01E01.mkv",
        "The.Office.S01E03.mkv",
        "Firefly.S01E99.mkv",
        "Firefly.S01.mkv",
        "Кино (2019).mkv",
        "映画 (2019).mkv",
        "zzz.mkv",
    ],
)
async def test_uncertain_matches(tmp_path: Path, name: str) -> None:
    async with match_harness(tmp_path) as at:
        found = await at.one(name)
        assert found.confidence < SURE, found.best


async def test_episode_matches(tmp_path: Path) -> None:
    async with match_harness(tmp_path) as at:
        safe, double, anime, year = await at.match(
            "Firefly.S01E05.1080p.mkv",
            "Doctor Who (2005) - S01E09-E10.mkv",
            "[Group] Mob Psycho 100 - 13 [1080p].mkv",
            "Cowboy.Bebop.1998.S01E05.mkv",
        )
        assert [each.title for each in safe.episodes] == ["Safe"]
        assert [each.title for each in double.episodes] == ["The Empty Child", "The Doctor Dances"]
        assert [(each.season, each.episode) for each in anime.episodes] == [(2, 1)]
        assert year.episodes[0].title == "Ballad of Fallen Angels"
        assert min(safe.confidence, double.confidence, year.confidence) > SURE
        # Absolute numbers are ambiguous with several seasons.
        assert anime.confidence < SURE
        assert "absolute_number" in anime.reasons


async def test_country_distinguishes_series(tmp_path: Path) -> None:
    async with match_harness(tmp_path) as at:
        american, british = await at.match("The.Office.US.S01E02.mkv", "The Office UK S01E02.mkv")
        assert american.best and american.best.year == 2005
        assert british.best and british.best.year == 2001
        assert min(american.confidence, british.confidence) > SURE


async def test_episode_list_distinguishes_series(tmp_path: Path) -> None:
    async with match_harness(tmp_path) as at:
        (american,) = await at.match("The.Office.S02E07.1080p.mkv")
        assert american.best and american.best.year == 2005
        assert american.confidence > SURE
        assert "series_by_episodes" in american.reasons
        assert [one.candidate.year for one in american.alternatives[:1]] == [2001]
        # Both have this one, so that the file with it follows the other one of the same title.
        matches = await at.match("The.Office.S01E02.mkv", "The.Office.S02E07.mkv")
        assert [match.best.year for match in matches if match.best] == [2005, 2005]


async def test_titles_in_other_scripts_are_distinct(tmp_path: Path) -> None:
    async with match_harness(tmp_path) as at:
        one, other = await at.match("もののけ姫 (1997).mkv", "となりのトトロ (1988).mkv")
        assert one.best and one.best.title == "Princess Mononoke"
        assert other.best and other.best.title == "My Neighbor Totoro"


async def test_alternatives_are_returned(tmp_path: Path) -> None:
    async with match_harness(tmp_path) as at:
        found = await at.one("King Kong.mkv")
        assert found.best
        years = {found.best.year, *(each.candidate.year for each in found.alternatives)}
        assert {1933, 1976, 2005} <= years
        assert "ambiguous" in found.reasons
        # The catalog has two series with this title, and neither has the label in it.
        found = await at.one("[Group] Cowboy Bebop - OVA 1 [BD 1080p].mkv")
        assert found.best and found.best.title == "Cowboy Bebop"
        assert found.confidence < SURE


async def test_choice_is_learned_for_title_and_year(tmp_path: Path) -> None:
    async with match_harness(tmp_path) as at:
        parsed = parse("The.Office.S01E02.mkv", ())
        (chosen,) = await at.matcher.choose([parsed], "series", "demo", "the-office-2005")
        assert (chosen.confidence, chosen.episodes[0].title) == (1.0, "Diversity Day")
        assert chosen.best
        await at.matcher.remember(parsed, chosen.best)
        again = await at.one("the office s01e03.mkv")
        assert (again.overridden, again.confidence) == (True, 1.0)
        assert again.best == chosen.best
        with_year = await at.one("The Office (2001) - S01E03.mkv")
        assert with_year.best and with_year.best.year == 2001
        assert not with_year.overridden
        (learned,) = await at.matcher.overrides()
        assert (learned.title, learned.year) == ("the office", 0)
        await at.matcher.forget(OverrideKey("series", "The Office"))
        assert not (await at.one("The.Office.S01E03.mkv")).overridden
        with pytest.raises(AppError, match="override_not_found"):
            await at.matcher.forget(OverrideKey("series", "The Office"))


async def test_unknown_choice_is_refused(tmp_path: Path) -> None:
    async with match_harness(tmp_path) as at:
        with pytest.raises(AppError, match="catalog_entry_not_found"):
            await at.matcher.choose([parse("a.mkv", ())], "movie", "demo", "nothing")


async def test_file_name_to_target_path(tmp_path: Path) -> None:
    async with match_harness(tmp_path) as at:
        name = "doctor.who.2005.s01e09e10.1080p.bluray.x265-grp.mkv"
        facts = name_facts(parse(name, ()), await at.one(name))
        assert facts
        template = next(preset.template for preset in PRESETS if preset.id == "plex-series")
        assert render(template, facts) == (
            "Doctor Who (2005)/Season 01/"
            "Doctor Who (2005) - S01E09-E10 - The Empty Child & The Doctor Dances.mkv"
        )
        assert name_facts(parse("zzz.mkv", ()), await at.one("zzz.mkv")) is None
