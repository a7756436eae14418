"""Rare but unambiguous notations."""

import datetime

import pytest

from quartet.media.names.parse import parse

TALES = ("QHT", "Quiet Harbour Tales")


@pytest.mark.parametrize(
    ("name", "title", "seasons", "episodes"),
    [
        ("Quiet Harbour 2016x03 The Storm.mkv", "Quiet Harbour", (2016,), (3,)),
        ("Quiet Harbour Ep 2x05 The Storm.mkv", "Quiet Harbour", (2,), (5,)),
        ("Quiet_Harbour-s02-x05-The_Storm.mkv", "Quiet Harbour", (2,), (5,)),
        ("Quiet.Harbour.S02E05.and.S02E06.mkv", "Quiet Harbour", (2,), (5, 6)),
        ("Quiet Harbour 29-30 S02E05-06.mkv", "Quiet Harbour", (2,), (5, 6)),
        ("Quiet.Harbour.S02Extras.DVDRip.mkv", "Quiet Harbour", (2,), ()),
        ("Quiet.Harbour.2xAll.mkv", "Quiet Harbour", (2,), ()),
        ("Quiet Harbour Saison deux FRENCH.mkv", "Quiet Harbour", (2,), ()),
        ("Quiet.Harbour.204.x264-NORD.mkv", "Quiet Harbour", (2,), (4,)),
        ("Quiet.Harbour.14.HDTV-NORD.mkv", "Quiet Harbour", (), (14,)),
        ("Quiet Harbour - 14 OAD [BDRip].mkv", "Quiet Harbour", (), (14,)),
        ("Quiet Harbour (DVD) - 02 [nord].mkv", "Quiet Harbour", (), (2,)),
        ("003-005. Quiet Harbour - The Storm.mkv", "Quiet Harbour", (), (3, 4, 5)),
        ("0204.mkv", None, (2,), (4,)),
        ("Quiet Harbour - 205 (05) - 20021107 - The Storm.mkv", "Quiet Harbour", (2,), (5,)),
        ("Quiet Harbour Episode #2.5.mkv", "Quiet Harbour", (2,), (5,)),
        ("Quiet Harbour S02 EP #2.5.mkv", "Quiet Harbour", (2,), (5,)),
        ("Quiet.Harbour.S02E05.06.1080p.mkv", "Quiet Harbour", (2,), (5, 6)),
        ("Quiet.Harbour.S02E05.06.GERMAN.mkv", "Quiet Harbour", (2,), (5, 6)),
        ("Quiet Harbour E05 06 07.mkv", "Quiet Harbour", (), (5, 6, 7)),
        ("Quiet.Harbour.S02E10.11.Friends.mkv", "Quiet Harbour", (2,), (10,)),
        ("Quiet.Harbour.Season.1.3&5.HDTV", "Quiet Harbour", (1, 3, 5), ()),
        ("[NORD] Quiet Harbour 01-02 & 05-06 [720p].mkv", "Quiet Harbour", (), (1, 2, 5, 6)),
        ("[NORD] 86 - 05 [720p].mkv", "86", (), (5,)),
        ("[NORD] 86 S02E05 [720p].mkv", "86", (2,), (5,)),
        ("Port Calme - Livre II - Ep 5.mkv", "Port Calme", (2,), (5,)),
        ("Quiet Harbour (US) - The Storm S02E05.mkv", "Quiet Harbour", (2,), (5,)),
        ("Quiet Harbour E05 06 08.mkv", "Quiet Harbour", (), (5, 6, 8)),
        ("Quiet Harbour S02 03 04", "Quiet Harbour", (2, 3, 4), ()),
        ("Quiet.Harbour.Season.1.3.6.1080p", "Quiet Harbour", (1, 3, 6), ()),
        ("Quiet Harbour Season 1 5.1 AAC", "Quiet Harbour", (1,), ()),
        ("Quiet.Harbour.E05.S2016.mkv", "Quiet Harbour", (2016,), (5,)),
        ("Quiet.Harbour.14.1080p.HDTV-NORD.mkv", "Quiet Harbour", (), (14,)),
        ("Quiet_Harbour.2016.205.episode.name.mkv", "Quiet Harbour", (2,), (5,)),
        ("Chapter 5 - The Storm.mkv", "Chapter", (), (5,)),
        ("205 05.mkv", None, (2,), (5,)),
        ("Quiet.Harbour.205.The.Storm.2010.11.23.HDTV.mkv", "Quiet Harbour", (2,), (5,)),
        ("Quiet.Harbour.14.720p.mkv", "Quiet Harbour", (), (14,)),
        ("Quiet Harbour 360 1080i.ts", "Quiet Harbour", (), (360,)),
        ("Quiet Harbour 12-14", "Quiet Harbour", (), (12, 13, 14)),
        ("Quiet Harbour 12-14.mkv", "Quiet Harbour", (12,), (14,)),
        ("Quiet Harbour Miniseries CD2 of 3.avi", None, (), (2,)),
        ("Folge 5 - Quiet Harbour (Staffel 2).mkv", "Quiet Harbour", (2,), (5,)),
        ("Bot.[NORD]_Quiet_Harbour_-_05_[720p][0A1B2C3D].mkv", "Quiet Harbour", (), (5,)),
        ("[NORD][Quiet Harbour][Ep.05][720p].mkv", "Quiet Harbour", (), (5,)),
    ],
)
def test_rare_numbers(
    name: str, title: str | None, seasons: tuple[int, ...], episodes: tuple[int, ...]
) -> None:
    parsed = parse(name)
    assert (parsed.kind.value, parsed.seasons, parsed.episodes) == ("episode", seasons, episodes)
    assert title is None or parsed.title == title


@pytest.mark.parametrize(
    "written", ["July.30.2021", "30 July 2021", "2021-07-30", "21.07.30.The.Storm"]
)
def test_rare_dates(written: str) -> None:
    parsed = parse(f"Quiet.Harbour.{written}.1080p.mkv")
    assert (parsed.title, parsed.date) == ("Quiet Harbour", datetime.date(2021, 7, 30))


@pytest.mark.parametrize(
    ("name", "year"),
    [
        ("Quiet.Harbour.S2016E08.The.Storm.720p.mkv", 2016),
        ("Quiet.Harbour.S01E02.2016.BluRay.mkv", 2016),
        ("Quiet.Harbour.S01E02.1984.Is.Over.mkv", None),
    ],
)
def test_year_of_series(name: str, year: int | None) -> None:
    assert parse(name).year == year


@pytest.mark.parametrize("name", ["Quiet Harbour 1999-2004 1080p.mkv", "Harbour (1999) (2004).mkv"])
def test_first_of_two_years(name: str) -> None:
    assert (parse(name).kind.value, parse(name).year) == ("movie", 1999)


@pytest.mark.parametrize("name", ["2004 - Quiet Harbour.mkv", "2004.Quiet.Harbour.PAL.DVD5.mkv"])
def test_leading_year(name: str) -> None:
    parsed = parse(name)
    assert (parsed.title, parsed.year) == ("Quiet Harbour", 2004)
    # It may belong to the title, so the confidence is lower.
    assert parsed.other_titles == ("2004 Quiet Harbour",)
    assert parsed.kind.confidence < parse("Quiet Harbour 2004.mkv").kind.confidence


@pytest.mark.parametrize("name", ["2004 Harbour 1080p.mkv", "2004 A Harbour 1080p.mkv"])
def test_title_starting_with_a_year(name: str) -> None:
    assert (parse(name).title, parse(name).year) == (name.removesuffix(" 1080p.mkv"), None)


def test_country_of_series_folder() -> None:
    parsed = parse("Quiet.Harbour.US")
    assert (parsed.title, parsed.country) == ("Quiet Harbour", "US")
    assert parse("THIS IS US").title == "THIS IS US"


def test_leading_year_is_not_a_group() -> None:
    parsed = parse("[1994] Quiet Harbour 2.mkv")
    assert (parsed.title, parsed.year, parsed.release.group) == ("Quiet Harbour 2", 1994, None)


@pytest.mark.parametrize(
    "name", ["Quiet Harbour CD2.avi", "Quiet Harbour cd2of3.avi", "(CD2) Quiet Harbour.avi"]
)
def test_discs(name: str) -> None:
    assert (parse(name).title, parse(name).part) == ("Quiet Harbour", 2)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Quiet Harbour 2013 Christmas Special HDTV.mkv", "episode"),
        ("Quiet Harbour 2013 Special Edition.mkv", "movie"),
        ("Quiet.Harbour.COMPLETE.1080p.WEB-DL.mkv", "episode"),
        ("Quiet.Harbour.COMPLETE.BLURAY-NORD", "movie"),
        ("Quiet.Harbour.2013.COMPLETE.1080p.mkv", "movie"),
        ("Quiet.Harbour.Chapter.3.2013.1080p.mkv", "movie"),
        ("Chapter 27 2007 1080p.mkv", "movie"),
        ("Quiet_Harbour-x02-Making_of.mkv", "episode"),
        ("Quiet_Harbour-x02-Making_of_2013.mkv", "movie"),
        ("[NORD] Quiet Harbour - NCOP [1080p].mkv", "episode"),
        ("[NORD] Quiet Harbour OVA [1080p].mkv", "episode"),
    ],
)
def test_kind(name: str, kind: str) -> None:
    assert parse(name).kind.value == kind


@pytest.mark.parametrize(
    ("name", "title", "others"),
    [
        ("Le Port (The Quiet Harbour) 2011.mkv", "Le Port", ("The Quiet Harbour",)),
        ("Harbour or (The Long Way Home) (2014).mkv", "Harbour or (The Long Way Home)", ()),
        ("h265 Quiet Harbour 1080p DTS.mkv", "Quiet Harbour", ()),
        ("HD 720p: Quiet Harbour.S03E16.mkv", "Quiet Harbour", ()),
        ("8 Bit Harbour (2021) HDRip.mkv", "8 Bit Harbour", ()),
        ("Harbours-f03-Quiet_Harbour-x02-Making_of.mkv", "Quiet Harbour", ()),
        ("Quiet.Harbour.CUSTOM.EXTENDED.2022.2160p.mkv", "Quiet Harbour", ()),
        ("Quiet.Harbour.3D.2010.1080p.mkv", "Quiet Harbour 3D", ()),
        ("Тихая гавань / Тиха гавань (2007) DVDRip.avi", "Тиха гавань", ("Тихая гавань",)),
        ("Quiet.Harbour.3D.2010.COMPLETE.BLURAY-NORD", "Quiet Harbour", ("Quiet Harbour 3D",)),
        ("Harbour.French.2011.DVDRip.mkv", "Harbour", ("Harbour French",)),
        ("Harbour.French.2011.GERMAN.DVDRip.mkv", "Harbour French", ()),
        ("Harbour.English.2011.DVDRip.mkv", "Harbour English", ()),
        ("Way.to.the.Greek.2011.DVDRip.mkv", "Way to the Greek", ()),
        ("Quiet.Harbour.Fr.2cd.avi", "Quiet Harbour", ()),
        ("[NORD] Quiet Harbour - QH - 05 [720p].mkv", "Quiet Harbour", ("QH",)),
        ("QHT (Quiet Harbour Tales) 2011.mkv", "QHT (Quiet Harbour Tales)", TALES),
        ("QUIET.7.PPV.One.vs.Two.HDTV.mkv", "QUIET 7 One vs Two", ()),
        ("Quiet.Harbour.Part.1.and.Part.2.NORD.mkv", "Quiet Harbour", ()),
        ("Quiet.Harbour.2011.Part.2.DVDRip.mkv", "Quiet Harbour", ()),
        ("[NORD] Quiet Harbour ONA v2 [720p].mkv", "Quiet Harbour", ()),
        ("[NORD] Quiet Harbour ONA [720p].mkv", "Quiet Harbour ONA", ()),
        ("My Harbour Dan 1080p.mkv", "My Harbour Dan", ()),
        ("My Harbour in French.mkv", "My Harbour in French", ()),
        ("My Harbour FRENCH.mkv", "My Harbour", ()),
        ("My.Harbour.DAN.1080p.mkv", "My Harbour", ()),
        ("Quiet Harbour 23.976 FPS.mkv", "Quiet Harbour", ()),
        ("(1)Quiet Harbour (2009).mkv", "Quiet Harbour", ()),
        ("09.03.08.Quiet.Harbour.(1991).mkv", "09 03 08 Quiet Harbour", ()),
        ("(CD2) Movie.avi", "Movie", ()),
        ("[NORD] Quiet Harbour - OP [1080p].mkv", "Quiet Harbour", ()),
        ("Quiet_Harbour_Creditless_OP2_[720p].mkv", "Quiet Harbour", ()),
        ("Quiet.Harbour.Vol115.1080p.mkv", "Quiet Harbour", ()),
        ("Quiet Harbour Vol. 2 1080p.mkv", "Quiet Harbour Vol. 2", ()),
        ("Quiet Harbour 8 Film Collection 1080p", "Quiet Harbour", ()),
        ("Quiet Harbour Complete 8 Movie Collection 1999 - 2004", "Quiet Harbour", ()),
        ("Quiet Harbour Ultimate Collection", "Quiet Harbour", ()),
        ("Quiet Harbour HD Remaster 1080p.mkv", "Quiet Harbour", ()),
        ("Quiet Harbour _ Channel Nine.mp4", "Quiet Harbour", ()),
        ("FR - Quiet Harbour.mkv", "Quiet Harbour", ()),
        ("IT - Quiet Harbour (2004).mkv", "IT - Quiet Harbour", ()),
        ("Harbour.FRENCH.2004.1080p.mkv", "Harbour", ()),
        ("Quiet.Harbour.-.The Storm.1080p.mkv", "Quiet Harbour - The Storm", ()),
    ],
)
def test_rare_titles(name: str, title: str, others: tuple[str, ...]) -> None:
    parsed = parse(name)
    assert (parsed.title, parsed.other_titles) == (title, others)


@pytest.mark.parametrize(
    ("written", "field", "value"),
    [
        ("HDTVx264", "video_codec", "H.264"),
        ("HDTVx264", "source", "HDTV"),
        ("1920x800", "resolution", "1080p"),
        ("1280 * 720", "resolution", "720p"),
        ("720hd", "resolution", "720p"),
        ("852x480i", "resolution", "480i"),
        ("500x480", "resolution", "500x480"),
        ("LDRip", "source", "Laserdisc"),
        ("DMRip", "source", "Digital Master"),
        ("1080p.LAME3*92", "audio_codec", "MP3"),
        ("True-HD51", "audio_codec", "TrueHD"),
        ("wmv.x264", "video_codec", "H.264"),
        ("wmv", "video_codec", "WMV"),
        ("TV-Dub", "dubbed", True),
    ],
)
def test_rare_release_tags(written: str, field: str, value: str | bool) -> None:
    assert getattr(parse(f"Quiet.Harbour.2013.{written}.mkv").release, field) == value


def test_all_audio_codecs_are_read() -> None:
    told = parse("Quiet.Harbour.2019.1080p.DTS-HD.MA.TrueHD.7.1.Atmos-NORD.mkv").release
    assert (told.audio_codec, told.other_audio_codecs) == ("DTS-HD", ("TrueHD Atmos",))


def test_source_in_capitals_ends_title() -> None:
    parsed = parse("Quiet.Harbour.2.TS.Somebody.mkv")
    assert (parsed.title, parsed.release.source) == ("Quiet Harbour 2", "Telesync")
