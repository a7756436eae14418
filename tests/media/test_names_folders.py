"""What the folders around a file add to its name."""

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


def test_the_number_of_the_season_is_not_part_of_the_episode() -> None:
    parsed = parse("Quiet Harbour - 205.mkv", ["Quiet Harbour", "Season 2"])
    assert (parsed.seasons, parsed.episodes) == ((2,), (5,))


def test_a_number_counted_through_stays_one() -> None:
    parsed = parse("Quiet Harbour - 1050.mkv", ["Quiet Harbour", "Season 21"])
    assert (parsed.seasons, parsed.absolute) == ((21,), 1050)


def test_the_file_is_believed_before_the_folder() -> None:
    parsed = parse("Quiet Harbour S03E01.mkv", ["Other Harbour", "Season 2"])
    assert (parsed.title, parsed.seasons) == ("Quiet Harbour", (3,))


@pytest.mark.parametrize("name", ["3f9c0de11b2a44.mkv", "nord-qh.mkv", "movie.mkv", "qh.1080p.mkv"])
def test_a_poor_name_is_that_of_its_release_folder(name: str) -> None:
    parsed = parse(name, ["downloads", "Quiet.Harbour.2019.German.1080p.BluRay.x264-NORD"])
    assert (parsed.kind.value, parsed.title, parsed.year) == ("movie", "Quiet Harbour", 2019)
    assert (parsed.release.group, parsed.release.languages) == ("NORD", ("de",))
    assert parsed.extension == "mkv"


def test_a_shortened_name_is_that_of_its_folder() -> None:
    parsed = parse("harboura_qh.avi", ["Movies", "The.Quiet.Harbour.FRENCH.2cd"])
    assert (parsed.title, parsed.release.languages) == ("The Quiet Harbour", ("fr",))


def test_a_short_name_in_the_folder_of_a_season() -> None:
    parsed = parse("qh-s01e02.mkv", ["Quiet.Harbour.S01.German.1080p.WEB.x264-NORD"])
    assert (parsed.title, parsed.seasons, parsed.episodes) == ("Quiet Harbour", (1,), (2,))
    assert parsed.release.resolution == "1080p"


def test_folder_of_a_film() -> None:
    parsed = parse("Quiet Harbour.mkv", ["Movies", "Quiet Harbour (2019) [tmdbid-5]"])
    assert (parsed.title, parsed.year, parsed.ids.tmdb) == ("Quiet Harbour", 2019, 5)
    assert parsed.kind.confidence >= 0.9


@pytest.mark.parametrize(
    "name", ["Somebody - Quiet Harbour [VHSRip].avi", "09.03.08.Quiet.Harbour.(2019).avi"]
)
def test_what_stands_before_the_title_of_the_folder(name: str) -> None:
    parsed = parse(name, ["Movies", "Quiet Harbour (2019)"])
    assert (parsed.kind.value, parsed.title, parsed.year) == ("movie", "Quiet Harbour", 2019)


def test_a_file_without_a_name_is_called_like_its_folder() -> None:
    assert parse("video.mkv", ["Quiet Harbour"]).title == "Quiet Harbour"


def test_the_nearest_id_wins() -> None:
    parsed = parse("S01E01 {tmdb-7}.mkv", ["Quiet Harbour {tmdb-5} {tvdb-9}", "Season 1"])
    assert (parsed.ids.tmdb, parsed.ids.tvdb) == (7, 9)


def test_a_sample_is_one_of_the_release_it_lies_in() -> None:
    folders = ["Quiet.Harbour.S02E03.1080p.WEB-DL.x264-NORD", "Sample"]
    parsed = parse("Quiet.Harbour.S01E01.sample.mkv", folders)
    assert (parsed.seasons, parsed.episodes, parsed.sample) == ((2,), (3,), True)


def test_a_file_is_no_whole_season() -> None:
    parsed = parse("Quiet Harbour S02.mkv", ["Quiet Harbour S02E03"])
    assert (parsed.seasons, parsed.episodes) == ((2,), (3,))


@pytest.mark.parametrize("shelf", ["Series", "TV Shows", "Serien"])
def test_what_lies_among_the_series_is_no_film(shelf: str) -> None:
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
def test_of_two_spellings_the_one_with_accents(name: str, folder: str, title: str) -> None:
    assert parse(name, [folder]).title == title


def test_sample_folder() -> None:
    assert parse("nord-qh.mkv", ["Quiet.Harbour.2019.1080p.BluRay.x264-NORD", "Sample"]).sample


def test_shelves_are_no_titles() -> None:
    assert parse("01 - The Storm.mkv", ["data", "Downloads"]).title == "The Storm"
