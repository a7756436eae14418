"""Release groups in names."""

import pytest

from quartet.media.names.parse import parse


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("Quiet.Harbour.2019.1080p.x264-NORD.mkv", "NORD"),
        ("Quiet.Harbour.2019.1080p.x264-NORD-WEST.mkv", "NORD-WEST"),
        ("Quiet.Harbour.2019.1080p.x264.N-W3ST.mkv", "N-W3ST"),
        ("Quiet.Harbour.2019.1080p-x264-NORD.mkv", "NORD"),
        ("Quiet.Harbour.2019.DVDRip.XviD-MP-NORD.avi", "NORD"),
        ("Quiet Harbour 2019 1080p x264 - NORD - [2019-05-06].mkv", "NORD"),
        ("Quiet.Harbour.2019.1080p.x264.-.NORD.mkv", "NORD"),
        ("[ Quiet Harbour 2019 1080p x264-NORD ].mkv", "NORD"),
        ("Quiet.Harbour.2019.1080p.x264-NORD.[somesite.org].mkv", "NORD"),
        ("Quiet.Harbour.2019.1080p.x264.NORD.[somesite.org].mkv", "NORD"),
        ("Quiet.Harbour.2019.1080p.x264-NORD.webp", "NORD"),
    ],
)
def test_group_at_end(name: str, group: str) -> None:
    assert parse(name).release.group == group


@pytest.mark.parametrize("added", [".eng", ".HebSubs", ".-.Dual.Audio", "-English", ".ENG.FR"])
def test_languages_after_group(added: str) -> None:
    assert parse(f"Quiet.Harbour.S01E02.HDTV.XviD-NORD{added}").release.group == "NORD"


@pytest.mark.parametrize("again", ["reencoded", "re-encoded", "reenc", "re-enc"])
def test_reencoded_release(again: str) -> None:
    assert parse(f"Quiet.Harbour.S01E02.HDTV.x264-{again}.NORD.mkv").release.group == "NORD"


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("Quiet Harbour S01E02 [H264 - Ita Aac] HDTVMux by Nord", "Nord"),
        ("Quiet Harbour S01E02 1080p WEBRip By Nord West", "Nord West"),
        ("Quiet.Harbour.2019.WEBRip.by.Nord[WEST].mkv", "Nord"),
        ("Quiet Harbour (2019) 1080p [encoded by Nord].mkv", "Nord"),
        ("Stand by Harbour 2019 1080p.mkv", None),
    ],
)
def test_signed_release(name: str, group: str | None) -> None:
    assert parse(name).release.group == group


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("Quiet.Harbour.2019.BluRay.1080p.Hindi.Eng.NORD.mkv", "NORD"),
        ("Quiet Harbour (2019) (1080p BluRay x265 AAC 5.1 Nord).mkv", "Nord"),
        ("Quiet.Harbour.S01E02.HDTV.Spanish.NW.mkv", "NW"),
        ("Quiet Harbour (2019) [1080p] [STANDARD].mkv", "STANDARD"),
        ("Quiet.Harbour.2019.1080p.x264-[2Nord].mkv", "2Nord"),
        ("[YTS.MX] Quiet Harbour (2019) 1080p BluRay (Nord)", "Nord"),
        ("Quiet Harbour (2019) 1080p [0A1B2C3D].mkv", None),
        ("Quiet.Harbour.XviD-S01E02.Pilot.mkv", None),
    ],
)
def test_group_as_last_word(name: str, group: str | None) -> None:
    assert parse(name).release.group == group


@pytest.mark.parametrize(
    ("name", "title", "group"),
    [
        ("nrd-the.quiet.harbour.2019.1080p.bluray.x264.mkv", "the quiet harbour", "nrd"),
        ("nord-the.quiet.harbour.2019.1080p.bluray.x264.mkv", "the quiet harbour", "nord"),
        ("NoRD-Quiet.Harbour.S01E02.720p.HDTV.x264.mkv", "Quiet Harbour", "NoRD"),
        ("harbour-man.comes.home.2019.1080p.x264.mkv", "harbour-man comes home", None),
        ("Harbour-Man.2019.1080p.x264.mkv", "Harbour-Man", None),
        ("nrd-quiet.harbour.2019.1080p.x264-WEST.mkv", "nrd-quiet harbour", "WEST"),
    ],
)
def test_group_in_front(name: str, title: str, group: str | None) -> None:
    parsed = parse(name)
    assert (parsed.title, parsed.release.group) == (title, group)
