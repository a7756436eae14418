"""What parent folders add to a name."""

import pytest

from quartet.media.names.parse import parse


@pytest.mark.parametrize(
    ("folder", "season"),
    [
        ("Season 2", 2),
        ("Season 02", 2),
        ("Staffel 02", 2),
        ("2. Staffel", 2),
        ("Saison 2", 2),
        ("Temporada 2", 2),
        ("Stagione 2", 2),
        ("Сезон 2", 2),
        ("第2季", 2),
        ("S02", 2),
        ("Specials", 0),
    ],
)
@pytest.mark.parametrize("name", ["05.mkv", "E05.mkv", "Episode 5.mkv", "05 - The Storm.mkv"])
def test_season_folders(folder: str, season: int, name: str) -> None:
    parsed = parse(name, ["TV Shows", "Quiet Harbour (2019)", folder])
    assert parsed.kind.value == "episode"
    assert (parsed.title, parsed.year) == ("Quiet Harbour", 2019)
    assert (parsed.season, parsed.episodes, parsed.absolute) == (season, (5,), None)
    assert parsed.special == (season == 0)


@pytest.mark.parametrize("name", ["03. Episode 3.mkv", "03 - Folge 3.mkv", "3 Episode 3.mkv"])
@pytest.mark.parametrize("show", ["Quiet Harbour", "24"])
def test_number_before_the_same_number_is_no_title(show: str, name: str) -> None:
    parsed = parse(name, ["TV Shows", show, "Season 2"])
    assert (parsed.title, parsed.seasons, parsed.episodes) == (show, (2,), (3,))


def test_release_folder_of_the_episode_names_the_series() -> None:
    folder = "Quiet.Harbour.Tales.S01E04.German.720p.WEB.x264-NORD"
    parsed = parse("nord-quiet.h-s01e04.mkv", ["downloads", folder])
    assert (parsed.title, parsed.seasons, parsed.episodes) == ("Quiet Harbour Tales", (1,), (4,))


def test_numbers_of_the_title_are_no_episode() -> None:
    folders = ["downloads", "3.10.to.Harbour.2007.DVDRip.XviD", "CD1"]
    parsed = parse("3.10.to.harbour-cd1.avi", folders)
    assert (parsed.kind.value, parsed.title, parsed.year) == ("movie", "3 10 to Harbour", 2007)
    assert (parsed.part, parsed.episodes) == (1, ())


def test_season_is_removed_from_episode_number() -> None:
    parsed = parse("Quiet Harbour - 205.mkv", ["Quiet Harbour", "Season 2"])
    assert (parsed.seasons, parsed.episodes) == ((2,), (5,))


def test_high_number_stays_absolute() -> None:
    parsed = parse("Quiet Harbour - 1050.mkv", ["Quiet Harbour", "Season 21"])
    assert (parsed.seasons, parsed.absolute) == ((21,), 1050)


def test_file_has_precedence_over_folder() -> None:
    parsed = parse("Quiet Harbour S03E01.mkv", ["Other Harbour", "Season 2"])
    assert (parsed.title, parsed.seasons) == ("Quiet Harbour", (3,))


@pytest.mark.parametrize("name", ["3f9c0de11b2a44.mkv", "nord-qh.mkv", "movie.mkv", "qh.1080p.mkv"])
def test_poor_name_uses_release_folder(name: str) -> None:
    parsed = parse(name, ["downloads", "Quiet.Harbour.2019.German.1080p.BluRay.x264-NORD"])
    assert (parsed.kind.value, parsed.title, parsed.year) == ("movie", "Quiet Harbour", 2019)
    assert (parsed.release.group, parsed.release.languages) == ("NORD", ("de",))
    assert parsed.extension == "mkv"


def test_abbreviated_name_uses_folder() -> None:
    parsed = parse("harboura_qh.avi", ["Movies", "The.Quiet.Harbour.FRENCH.2cd"])
    assert (parsed.title, parsed.release.languages) == ("The Quiet Harbour", ("fr",))


def test_short_name_in_season_folder() -> None:
    parsed = parse("qh-s01e02.mkv", ["Quiet.Harbour.S01.German.1080p.WEB.x264-NORD"])
    assert (parsed.title, parsed.seasons, parsed.episodes) == ("Quiet Harbour", (1,), (2,))
    assert parsed.release.resolution == "1080p"


def test_movie_folder() -> None:
    parsed = parse("Quiet Harbour.mkv", ["Movies", "Quiet Harbour (2019) [tmdbid-5]"])
    assert (parsed.title, parsed.year, parsed.ids.tmdb) == ("Quiet Harbour", 2019, 5)
    assert parsed.kind.confidence >= 0.9


@pytest.mark.parametrize(
    "name", ["Somebody - Quiet Harbour [VHSRip].avi", "09.03.08.Quiet.Harbour.(2019).avi"]
)
def test_text_before_folder_title_is_ignored(name: str) -> None:
    parsed = parse(name, ["Movies", "Quiet Harbour (2019)"])
    assert (parsed.kind.value, parsed.title, parsed.year) == ("movie", "Quiet Harbour", 2019)


def test_generic_name_uses_folder() -> None:
    assert parse("video.mkv", ["Quiet Harbour"]).title == "Quiet Harbour"


@pytest.mark.parametrize(
    ("folder", "name", "title", "year"),
    [
        ("1408 (2007)", "1408.mkv", "1408", 2007),
        ("9 (2009) {tmdb-12244}", "9.avi", "9", 2009),
        ("Harbour 1984 (2020)", "Harbour.1984.1080p.mkv", "Harbour 1984", 2020),
    ],
)
def test_number_of_movie_folder_is_no_episode_or_year(
    folder: str, name: str, title: str, year: int
) -> None:
    parsed = parse(name, ["Movies", folder])
    assert (parsed.kind.value, parsed.title, parsed.year) == ("movie", title, year)
    assert (parsed.episodes, parsed.extension) == ((), name[-3:])


def test_year_in_title_of_series_folder_is_no_year() -> None:
    parsed = parse("Harbour.1999.S01E02.mkv", ["Harbour 1999 (1975)", "Season 1"])
    assert (parsed.title, parsed.year, parsed.episodes) == ("Harbour 1999", 1975, (2,))


def test_nearest_id_wins() -> None:
    parsed = parse("S01E01 {tmdb-7}.mkv", ["Quiet Harbour {tmdb-5} {tvdb-9}", "Season 1"])
    assert (parsed.ids.tmdb, parsed.ids.tvdb) == (7, 9)


def test_sample_belongs_to_its_release_folder() -> None:
    folders = ["Quiet.Harbour.S02E03.1080p.WEB-DL.x264-NORD", "Sample"]
    parsed = parse("Quiet.Harbour.S01E01.sample.mkv", folders)
    assert (parsed.seasons, parsed.episodes, parsed.sample) == ((2,), (3,), True)


def test_file_is_not_a_whole_season() -> None:
    parsed = parse("Quiet Harbour S02.mkv", ["Quiet Harbour S02E03"])
    assert (parsed.seasons, parsed.episodes) == ((2,), (3,))


@pytest.mark.parametrize("shelf", ["Series", "TV Shows", "Serien"])
def test_extra_in_series_folder_is_not_a_movie(shelf: str) -> None:
    parsed = parse("Quiet Harbour - Trailer.mkv", [shelf, "Quiet Harbour"])
    assert (parsed.kind.value, parsed.title) == ("episode", "Quiet Harbour")
    parsed = parse("Quiet Harbour The Movie (2007).mkv", [shelf, "Quiet Harbour"])
    assert (parsed.kind.value, parsed.title) == ("movie", "Quiet Harbour The Movie")


@pytest.mark.parametrize(
    ("name", "folder", "title"),
    [
        (
            "Ruhiger.Hafen.Fur.Alle.2019.mkv",
            "Ruhiger Hafen für alle (2019)",
            "Ruhiger Hafen für alle",
        ),
        ("Q.H.S.Harbour.2019.mkv", "QHS Harbour (2019)", "Q.H.S. Harbour"),
    ],
)
def test_spelling_with_accents_is_preferred(name: str, folder: str, title: str) -> None:
    assert parse(name, [folder]).title == title


def test_sample_folder() -> None:
    assert parse("nord-qh.mkv", ["Quiet.Harbour.2019.1080p.BluRay.x264-NORD", "Sample"]).sample


def test_collection_folders_are_not_titles() -> None:
    assert parse("01 - The Storm.mkv", ["data", "Downloads"]).title == "The Storm"
