"""Names of movies; one table per behaviour."""

import pytest

from quartet.media.names.parse import parse


@pytest.mark.parametrize(
    ("name", "title", "year"),
    [
        ("Quiet Harbour (2019).mkv", "Quiet Harbour", 2019),
        ("Quiet.Harbour.2019.1080p.BluRay.x264-NORD.mkv", "Quiet Harbour", 2019),
        ("Quiet_Harbour_[2019]_720p.mp4", "Quiet Harbour", 2019),
        ("(2019) Quiet Harbour.mkv", "Quiet Harbour", 2019),
        ("Quiet Harbour 2019 1080p WEB-DL mkv", "Quiet Harbour", 2019),
        ("Quiet.Harbour.1080p.WEB-DL.2019.mkv", "Quiet Harbour", 2019),
        ("www.some-site.net - Quiet Harbour (2019) 720p.mkv", "Quiet Harbour", 2019),
        ("[DVDRip] Quiet Harbour (2019).avi", "Quiet Harbour", 2019),
        ("Harbour, The (2019).mkv", "The Harbour", 2019),
        ("Mr. Lantern (2019).mkv", "Mr. Lantern", 2019),
        ("A.L.F.A.2019.mkv", "A.L.F.A.", 2019),
        ("Quiet.Harbour.The.Final.Cut.2019.1080p.mkv", "Quiet Harbour", 2019),
        ("Quiet.Harbour.25th.Anniversary.Edition.2019.1080p.mkv", "Quiet Harbour", 2019),
    ],
)
def test_title_and_year(name: str, title: str, year: int) -> None:
    parsed = parse(name)
    assert (parsed.kind.value, parsed.title, parsed.year) == ("movie", title, year)
    assert parsed.kind.confidence >= 0.9


@pytest.mark.parametrize(
    ("name", "title", "year"),
    [
        ("2012 (2009).mkv", "2012", 2009),
        ("Blade Runner 2049 (2017).mkv", "Blade Runner 2049", 2017),
        ("Harbour.1984.2020.1080p.mkv", "Harbour 1984", 2020),
        ("1917.2019.German.1080p.mkv", "1917", 2019),
        ("2001 Days at Sea.mkv", "2001 Days at Sea", None),
        ("Harbour 2077.mkv", "Harbour 2077", None),
        ("(500) Lanterns (2009).mkv", "(500) Lanterns", 2009),
        ("28.Harbours.2003.1080p.mkv", "28 Harbours", 2003),
        ("Quiet Harbour 2 (2021).mkv", "Quiet Harbour 2", 2021),
        ("Lantern 13.mkv", "Lantern 13", None),
        ("Harbour 3.14 (2010) 720p.mkv", "Harbour 3.14", 2010),
        ("Se7en Lanterns 1995 720p.mkv", "Se7en Lanterns", 1995),
        ("2011 - Harbour 9 [HDTV XviD].mp4", "Harbour 9", 2011),
        ("1990 - HARBOUR-E [720p].mkv", "HARBOUR-E", 1990),
        ("[HRB].2007.1080p.BluRay.x264-NORD.mkv", "HRB", 2007),
    ],
)
def test_numbers_in_titles(name: str, title: str, year: int | None) -> None:
    parsed = parse(name)
    assert (parsed.kind.value, parsed.title, parsed.year) == ("movie", title, year)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("The.French.Lighthouse.1971.720p.mkv", "The French Lighthouse"),
        ("Mad Max 1080p.mkv", "Mad Max"),
        ("The English 1998 DVDRip.avi", "The English"),
        ("The.Last.Season.2019.1080p.mkv", "The Last Season"),
        ("The.Collection.2012.1080p.mkv", "The Collection"),
        ("Red 720p.mkv", "Red"),
        ("Cat.mkv", "Cat"),
        ("The.Final.Harbour.2004.mkv", "The Final Harbour"),
        ("A Complete Stranger 2024 1080p.mkv", "A Complete Stranger"),
        ("Limited Partnership 2015 720p.mkv", "Limited Partnership"),
        ("Camera Obscura 2012 720p.mkv", "Camera Obscura"),
        ("Quiet Harbour Part Two 2024 2160p.mkv", "Quiet Harbour Part Two"),
        ("Quiet.Harbour.Vol.3.2023.mkv", "Quiet Harbour Vol 3"),
        ("Quiet.Harbour.German.2016.1080p.WEBRip.x265.10bit-NORD.mkv", "Quiet Harbour"),
        ("Harbour.German.DL.1080p.BluRay.x264-NORD.mkv", "Harbour"),
    ],
)
def test_release_words_in_titles(name: str, title: str) -> None:
    assert parse(name).title == title


@pytest.mark.parametrize(
    ("name", "title", "others"),
    [
        ("Тихая гавань (2007) DVDRip.avi", "Тихая гавань", ()),
        ("Тихая гавань / Quiet Harbour (2007) DVDRip.avi", "Quiet Harbour", ("Тихая гавань",)),
        ("Тихая гавань (Quiet Harbour) 2007 1080p.mkv", "Quiet Harbour", ("Тихая гавань",)),
        ("静かな港.2019.1080p.mkv", "静かな港", ()),
        ("静かな港 Quiet Harbour 2019 1080p.mkv", "Quiet Harbour", ("静かな港",)),
        ("Ήσυχη μαρίνα (2010).mkv", "Ήσυχη μαρίνα", ()),
        ("الميناء الهادئ 2011 720p.mkv", "الميناء الهادئ", ()),
        ("La forêt d'été 2014 1080p.mkv", "La forêt d'été", ()),
    ],
)
def test_titles_in_every_script(name: str, title: str, others: tuple[str, ...]) -> None:
    parsed = parse(name)
    assert (parsed.title, parsed.other_titles) == (title, others)


@pytest.mark.parametrize(
    ("name", "edition"),
    [
        ("Quiet Harbour (2019) Director's Cut 1080p.mkv", "Director's Cut"),
        ("Quiet.Harbour.2019.Directors.Cut.1080p.mkv", "Director's Cut"),
        ("Quiet.Harbour.EXTENDED.2019.1080p.mkv", "Extended"),
        ("Quiet.Harbour.2019.Unrated.1080p.mkv", "Unrated"),
        ("Quiet Harbour (2019) [Uncut] [1080p].mkv", "Uncut"),
        ("Quiet.Harbour.2019.REMASTERED.1080p.mkv", "Remastered"),
        ("Quiet.Harbour.2019.IMAX.2160p.mkv", "IMAX"),
        ("Quiet.Harbour.2019.1080p.mkv", None),
    ],
)
def test_editions(name: str, edition: str | None) -> None:
    parsed = parse(name)
    assert (parsed.title, parsed.edition) == ("Quiet Harbour", edition)


def test_ids_in_brackets() -> None:
    parsed = parse("Quiet Harbour (2019) {tmdb-603} [imdbid-tt0133093].mkv")
    assert (parsed.title, parsed.ids.tmdb, parsed.ids.imdb) == ("Quiet Harbour", 603, "tt0133093")
    parsed = parse("Quiet Harbour [tvdbid=81189] S01E02 [anidb-12].mkv")
    assert (parsed.title, parsed.ids.tvdb, parsed.ids.anidb) == ("Quiet Harbour", 81189, 12)


def test_parts_samples_and_extensions() -> None:
    assert parse("Quiet Harbour (2019) CD2.avi").part == 2
    assert parse("Quiet.Harbour.2019.1080p.Part.1.mkv").part == 1
    assert parse("quiet.harbour.2019.sample.mkv").sample
    assert not parse("Quiet Harbour (2019).mkv").sample
    assert parse("Quiet Harbour (2019).MKV").extension == "mkv"
    assert parse("Quiet Harbour (2019)").extension is None


def test_title_without_year_has_lower_confidence() -> None:
    assert parse("Harbour.mkv").kind.confidence < parse("Harbour (2019).mkv").kind.confidence
    assert parse(".mkv").kind.value == "unknown"
