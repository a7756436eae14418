"""Trailers, featurettes and the like are filed next to their movie and never replace it."""

from itertools import cycle, islice
from pathlib import Path

import pytest

from quartet.media.jobs.preview.main_feature import Video, main_feature, without_small_extras
from quartet.media.names.parse import parse
from quartet.media.names.types import ExtraKind, Parsed
from quartet.media.naming.extra_paths import extra_path
from tests.media.job_harness import JobHarness, job_harness_at

HEAT = "Heat.1995.1080p.BluRay.x264-NORD"


@pytest.mark.parametrize(
    ("path", "kind", "title"),
    [
        (f"{HEAT}/{HEAT}-trailer.mkv", "trailer", None),
        (f"{HEAT}/{HEAT}.trailer.mkv", "trailer", None),
        ("Heat (1995)/Heat (1995)-trailer2.mkv", "trailer", "Trailer 2"),
        ("Heat (1995)/Trailers/Teaser.mkv", "trailer", "Teaser"),
        ("Heat (1995)/trailer.mkv", "trailer", "trailer"),
        ("Heat (1995)/Heat - Trailer.mkv", "trailer", None),
        ("Heat (1995)/Featurettes/Minnesota Nice.mkv", "featurette", "Minnesota Nice"),
        (f"{HEAT}/Featurettes/Disc 2/Minnesota_Nice.mkv", "featurette", "Minnesota Nice"),
        ("Heat (1995)/Extras/Featurettes/Minnesota Nice.mkv", "featurette", "Minnesota Nice"),
        ("Heat (1995)/Behind The Scenes/Bank.mkv", "behind_the_scenes", "Bank"),
        ("Heat (1995)/Featurettes/Making of 1994.mkv", "featurette", "Making of 1994"),
        ("Heat (1995)/Making of.mkv", "behind_the_scenes", "Making of"),
        ("Heat (1995)/Heat-behindthescenes.mkv", "behind_the_scenes", None),
        (f"{HEAT}/Heat.1995.Deleted.Scenes.1080p.mkv", "deleted_scene", "Deleted Scenes 1080p"),
        ("Heat (1995)/Deleted Scenes/01.mkv", "deleted_scene", "01"),
        ("Heat (1995)/Heat (1995)-interview.mkv", "interview", None),
        ("Heat (1995)/Extras/Interview with the Crew.mkv", "interview", "Interview with the Crew"),
        ("Heat (1995)/Heat Behind the Scenes.mkv", "behind_the_scenes", "Behind the Scenes"),
        ("Heat (1995)/Interviews/Somebody.mkv", "interview", "Somebody"),
        ("Heat (1995)/Shorts/Minnesota.mkv", "short", "Minnesota"),
        ("Heat (1995)/Extras/Bank.mkv", "other", "Bank"),
        ("Heat (1995)/Extras/Deleted Scenes.mkv", "deleted_scene", "Deleted Scenes"),
        ("Heat (1995)/Heat (1995)-other.mkv", "other", None),
    ],
)
def test_extra_is_recognised(path: str, kind: ExtraKind, title: str | None) -> None:
    *folders, name = path.split("/")
    parsed = parse(name, folders)
    assert (parsed.title, parsed.year) == ("Heat", 1995)
    assert (parsed.extra, parsed.extra_title, parsed.extension) == (kind, title, "mkv")


@pytest.mark.parametrize(
    "path",
    [
        f"{HEAT}/{HEAT}.mkv",
        "The.Interview.2014.1080p.mkv",
        "the-interview.mkv",
        "Trailer Park Boys/Season 1/Trailer Park Boys S01E05.mkv",
        "Trailer.Park.Boys.S01E05.720p.mkv",
        "Extras/Season 1/Extras - S01E05.mkv",
        "Show/Extras/Show S00E05.mkv",
        "Movies/Shorts/Some Film (2010).mkv",
        "HD Movies/Shorts/Some Film (2010).mkv",
        "HD Movies/Deleted/Deleted (2016).mkv",
        "The.Making.of.a.Harbour.2005.mkv",
        "Show.S02E05.Behind.the.Scenes.720p.mkv",
        "Heat.1995.1080p.x264-OTHER.mkv",
        "Deleted (2016).mkv",
        "Trailer Park Boys (2006)/Trailer Park Boys.mkv",
    ],
)
def test_movie_or_episode_is_no_extra(path: str) -> None:
    *folders, name = path.split("/")
    assert parse(name, folders).extra is None


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("[Nord] Quiet Harbour - NCOP1 [BD].mkv", "NCOP1"),
        ("[Nord] Quiet Harbour NCED2 [BD].mkv", "NCED2"),
        ("[Nord] Quiet Harbour - OP02 [BD][1080p].mkv", "OP02"),
        ("[Nord] Quiet Harbour - Menu 01 [BD].mkv", "Menu 01"),
        ("Quiet_Harbour_Creditless_OP5_[720p].mkv", "Creditless OP5"),
    ],
)
def test_theme_song_is_no_episode(name: str, title: str) -> None:
    parsed = parse(name)
    assert (parsed.kind.value, parsed.title, parsed.episodes) == ("episode", "Quiet Harbour", ())
    assert (parsed.extra, parsed.extra_title) == ("other", title)


def test_extra_of_series_belongs_to_the_series() -> None:
    parsed = parse("Gag Reel.mkv", ["Harbour (2013)", "Season 2", "Featurettes"])
    assert (parsed.title, parsed.season, parsed.extra) == ("Harbour", 2, "featurette")


def test_extra_path_suits_media_servers() -> None:
    movie = "Heat (1995)/Heat (1995).mkv"
    assert extra_path(movie, "movie", "trailer", None) == "Heat (1995)/Heat (1995)-trailer.mkv"
    assert (
        extra_path(movie, "movie", "featurette", "Bank: A/B")
        == "Heat (1995)/Featurettes/Bank - A-B.mkv"
    )
    assert extra_path("Heat.mkv", "movie", "short", "Bank") == "Heat-short.mkv"
    episode = "Harbour/Season 01/Harbour S01E02.mkv"
    assert extra_path(episode, "series", "other", "Reel") == "Harbour/Other/Reel.mkv"
    assert extra_path(episode, "series", "trailer", None) == "Harbour/Harbour-trailer.mkv"


# What a release folder may contain besides its movie; {} is the name of the movie.
EXTRAS = (
    "{}-trailer.mkv",
    "trailer.mkv",
    "Trailers/Teaser One.mkv",
    "Featurettes/A Look Inside.mkv",
    "Extras/Gag Reel.mkv",
    "Extras/Interviews/The Cast.mkv",
    "Behind The Scenes/On the Set.mkv",
    "Deleted Scenes/Scene 12.mkv",
    "{}.trailer.mkv",
    "{}-behindthescenes.mkv",
    "{}-deleted.mkv",
    "{}-featurette.mkv",
    "Making of.mkv",
    "A Walk Through the Town.mkv",
    "Shorts/The Long Night.mkv",
    "Bonus/Original Ending.mkv",
    "Clips of the Set/Rain.mkv",
    "backdrops/video1.mp4",
)
STYLES = (
    "{title} ({year})",
    "{dotted}.{year}.1080p.BluRay.x264-NORD",
    "{dotted}.{year}.German.DL.2160p.WEB.h265-NORD",
    "{title} ({year}) [1080p]",
)
NOUNS = [
    *("Harbour", "Valley", "Bridge", "Station", "Garden"),
    *("Mirror", "River", "Winter", "Engine", "Island"),
]
ADJECTIVES = ["Quiet", "Broken", "Golden", "Hidden", "Distant"]


def release_folders() -> list[tuple[str, list[str]]]:
    """Return 200 release folders, each with its movie first and three extras."""
    extras, found = cycle(EXTRAS), []
    for number, style in zip(range(200), cycle(STYLES), strict=False):
        noun, adjective = NOUNS[number % 10], ADJECTIVES[number // 10 % 5]
        title = f"The {adjective} {noun}"
        fields = {"title": title, "dotted": title.replace(" ", "."), "year": 1980 + number // 5}
        folder = style.format(**fields)
        inside = [extra.format(folder) for extra in islice(extras, 3)]
        found.append((folder, [f"{folder}.mkv", *inside]))
    return found


def parsed_like_a_scan(folder: str, files: list[str]) -> dict[str, Parsed]:
    """Parse the files folder by folder, as a scan does; the first one is the large movie."""
    by_folder: dict[str, list[str]] = {}
    for file in files:
        by_folder.setdefault(f"{folder}/{file}".rpartition("/")[0], []).append(file)
    found: dict[str, Parsed] = {}
    main: Video | None = None
    for inside, names in by_folder.items():
        around = inside.split("/")
        videos = [
            Video(name.rpartition("/")[2], 5000 if name == files[0] else 50, parse_in(name, around))
            for name in names
        ]
        main = main_feature(videos, around[-1]) or main
        found |= zip(names, without_small_extras(videos, around[-1], main), strict=True)
    return found


def parse_in(file: str, folders: list[str]) -> Parsed:
    return parse(file.rpartition("/")[2], folders)


def test_200_release_folders_lose_no_extra_and_file_none_as_movie() -> None:
    folders = release_folders()
    assert len(folders) == 200
    for folder, files in folders:
        found = parsed_like_a_scan(folder, files)
        movie, *extras = files
        assert found[movie].extra is None
        wanted = (found[movie].title, found[movie].year)
        for extra in extras:
            assert found[extra].extra, (folder, extra)
            assert (found[extra].title, found[extra].year) == wanted
        targets = {
            extra_path("M (1)/M (1).mkv", "movie", one.extra, one.extra_title)
            for one in found.values()
            if one.extra
        }
        assert len(targets) == len(extras) and "M (1)/M (1).mkv" not in targets


def films(harness: JobHarness) -> list[str]:
    return sorted(str(p.relative_to(harness.films)) for p in harness.films.rglob("*.mkv"))


def add_heat(harness: JobHarness) -> None:
    harness.file(f"{HEAT}/{HEAT}.mkv", "movie" * 100)
    harness.file(f"{HEAT}/{HEAT}-trailer.mkv", "trailer")
    harness.file(f"{HEAT}/Featurettes/Minnesota Nice.mkv", "featurette")


@pytest.mark.anyio
@pytest.mark.parametrize("policy", ["skip", "overwrite", "keep_better"])
async def test_extras_are_filed_next_to_the_movie(tmp_path: Path, policy: str) -> None:
    async with job_harness_at(tmp_path) as harness:
        add_heat(harness)
        job = await harness.start(action="move", conflictPolicy=policy)
        job = await harness.execute(job["jobId"])
        assert job["items"]["done"] == 3
        folder = films(harness)[0].partition("/")[0]
        assert films(harness) == [
            f"{folder}/Featurettes/Minnesota Nice.mkv",
            f"{folder}/{folder}-trailer.mkv",
            f"{folder}/{folder}.mkv",
        ]
        assert (harness.films / folder / f"{folder}.mkv").read_text().startswith("movie")


@pytest.mark.anyio
@pytest.mark.parametrize(("policy", "listed"), [("leave", 3), ("skip", 1)])
async def test_extras_stay_where_they_are_if_configured(
    tmp_path: Path, policy: str, listed: int
) -> None:
    async with job_harness_at(tmp_path) as harness:
        options = await harness.ask("GET", "/api/settings")
        await harness.ask("PUT", "/api/settings", json={**options, "extras": policy})
        add_heat(harness)
        job = await harness.start(action="move")
        assert len(await harness.items(job["jobId"])) == listed
        assert (await harness.execute(job["jobId"]))["items"]["done"] == 1
        assert len(films(harness)) == 1
        assert (harness.downloads / HEAT / "Featurettes/Minnesota Nice.mkv").exists()


@pytest.mark.anyio
async def test_large_file_keeps_the_target_of_the_movie(tmp_path: Path) -> None:
    """A trailer with the name of the movie, in a folder that says nothing."""
    async with job_harness_at(tmp_path) as harness:
        harness.file("a/Heat.1995.720p.mkv", "trailer")
        harness.file("b/Heat.1995.1080p.mkv", "movie" * 100)
        job = await harness.start(action="test")
        small, large = await harness.items(job["jobId"])
        assert (small["state"], large["state"]) == ("needs_review", "ready")
