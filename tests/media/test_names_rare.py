"""Ways to write a name that are rare, but sure once they are seen."""

import datetime

import pytest

from quartet.media.names.parse import parse


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
    ],
)
def test_numbers(
    name: str, title: str | None, seasons: tuple[int, ...], episodes: tuple[int, ...]
) -> None:
    parsed = parse(name)
    assert (parsed.kind.value, parsed.seasons, parsed.episodes) == ("episode", seasons, episodes)
    assert title is None or parsed.title == title


@pytest.mark.parametrize(
    "written", ["July.30.2021", "30 July 2021", "2021-07-30", "21.07.30.The.Storm"]
)
def test_days(written: str) -> None:
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
def test_year_of_a_series(name: str, year: int | None) -> None:
    assert parse(name).year == year


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Quiet Harbour 2013 Christmas Special HDTV.mkv", "episode"),
        ("Quiet Harbour 2013 Special Edition.mkv", "movie"),
        ("Quiet.Harbour.COMPLETE.1080p.WEB-DL.mkv", "episode"),
        ("Quiet.Harbour.COMPLETE.BLURAY-NORD", "movie"),
        ("Quiet.Harbour.2013.COMPLETE.1080p.mkv", "movie"),
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
    ],
)
def test_titles(name: str, title: str, others: tuple[str, ...]) -> None:
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
    ],
)
def test_facts(written: str, field: str, value: str) -> None:
    assert getattr(parse(f"Quiet.Harbour.2013.{written}.mkv").release, field) == value


def test_every_sound_is_told() -> None:
    told = parse("Quiet.Harbour.2019.1080p.DTS-HD.MA.TrueHD.7.1.Atmos-NORD.mkv").release
    assert (told.audio_codec, told.other_audio_codecs) == ("DTS-HD", ("TrueHD Atmos",))


def test_a_source_in_capitals_ends_the_title() -> None:
    parsed = parse("Quiet.Harbour.2.TS.Somebody.mkv")
    assert (parsed.title, parsed.release.source) == ("Quiet Harbour 2", "Telesync")
