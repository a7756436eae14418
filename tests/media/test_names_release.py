"""Release tags: video, audio, languages and group."""

import msgspec
import pytest

from quartet.media.names.parse import parse
from quartet.media.names.types import Parsed, Release

FULL = "Quiet.Harbour.2019.German.DL.PROPER.2160p.UHD.BluRay.DV.TrueHD.7.1.Atmos.x265-NORD.mkv"


def test_all_tags_together() -> None:
    assert parse(FULL).release == Release(
        resolution="2160p",
        source="BluRay",
        video_codec="H.265",
        audio_codec="TrueHD Atmos",
        audio_channels="7.1",
        hdr="DV",
        group="NORD",
        languages=("de",),
        proper=True,
    )


@pytest.mark.parametrize(
    ("written", "resolution"),
    [
        ("2160p", "2160p"),
        ("4K", "2160p"),
        ("1080p", "1080p"),
        ("1080i", "1080i"),
        ("FullHD", "1080p"),
        ("1920x1080", "1080p"),
        ("1920x804", "1080p"),
        ("WEBRip720p", "720p"),
        ("720p60", "720p"),
        ("4K Remastered 1080p", "1080p"),
        ("576p", "576p"),
    ],
)
def test_resolution(written: str, resolution: str) -> None:
    assert parse(f"Quiet Harbour 2019 {written} x264.mkv").release.resolution == resolution


@pytest.mark.parametrize(
    ("written", "source"),
    [
        ("BluRay", "BluRay"),
        ("Blu-Ray", "BluRay"),
        ("BDRip", "BluRay"),
        ("BluRay.REMUX", "Remux"),
        ("WEB-DL", "WEB-DL"),
        ("WEB DL", "WEB-DL"),
        ("WEB", "WEB-DL"),
        ("WEBRip", "WEBRip"),
        ("HDTV", "HDTV"),
        ("HDRip", "HDRip"),
        ("DVDRip", "DVD"),
        ("DVDScr", "DVD Screener"),
        ("SCR", "Screener"),
        ("HDTS", "Telesync"),
        ("TS", "Telesync"),
        ("HDCAM", "CAM"),
    ],
)
def test_source(written: str, source: str) -> None:
    assert parse(f"Quiet.Harbour.2019.{written}.1080p.x264-NORD.mkv").release.source == source


@pytest.mark.parametrize(
    ("written", "video"),
    [
        ("x264", "H.264"),
        ("H.264", "H.264"),
        ("h 265", "H.265"),
        ("HEVC", "H.265"),
        ("AV1", "AV1"),
        ("XviD", "XviD"),
        ("VC-1", "VC-1"),
        ("MPEG2", "MPEG-2"),
    ],
)
def test_video_codec(written: str, video: str) -> None:
    assert parse(f"Quiet.Harbour.2019.1080p.BluRay.{written}-NORD.mkv").release.video_codec == video


@pytest.mark.parametrize(
    ("written", "audio", "channels"),
    [
        ("DDP5.1", "DD+", "5.1"),
        ("DD+5.1", "DD+", "5.1"),
        ("DDP5.1.Atmos", "DD+ Atmos", "5.1"),
        ("E-AC-3", "DD+", None),
        ("DD5.1", "AC3", "5.1"),
        ("AC3", "AC3", None),
        ("DTS", "DTS", None),
        ("DTS-HD.MA.5.1", "DTS-HD", "5.1"),
        ("DTS-X", "DTS:X", None),
        ("TrueHD.7.1", "TrueHD", "7.1"),
        ("AAC2.0", "AAC", "2.0"),
        ("FLAC", "FLAC", None),
        ("Opus", "Opus", None),
    ],
)
def test_audio_codec_and_channels(written: str, audio: str, channels: str | None) -> None:
    release = parse(f"Quiet.Harbour.2019.1080p.BluRay.{written}.x264-NORD.mkv").release
    assert (release.audio_codec, release.audio_channels) == (audio, channels)


@pytest.mark.parametrize(
    ("written", "hdr"),
    [("HDR", "HDR"), ("HDR10", "HDR10"), ("HDR10+", "HDR10+"), ("DoVi", "DV"), ("DV", "DV")],
)
def test_hdr(written: str, hdr: str) -> None:
    assert parse(f"Quiet.Harbour.2019.2160p.WEB-DL.{written}.x265-NORD.mkv").release.hdr == hdr


@pytest.mark.parametrize(
    ("written", "languages", "dubbed"),
    [
        ("German", ("de",), False),
        ("German.DL", ("de",), False),
        ("FRENCH", ("fr",), False),
        ("ITA.ENG", ("it", "en"), False),
        ("German.Dubbed", ("de",), True),
        ("MULTi.VFF", ("fr",), False),
        ("Eng.Subs", (), False),
        ("VOSTFR", (), False),
        ("1080p.DE.EN", ("de", "en"), False),
    ],
)
def test_languages(written: str, languages: tuple[str, ...], dubbed: bool) -> None:
    release = parse(f"Quiet.Harbour.2019.{written}.1080p.WEB-DL.x264-NORD.mkv").release
    assert (release.languages, release.dubbed) == (languages, dubbed)


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("Quiet.Harbour.2019.1080p.WEB-DL.x264-NORD.mkv", "NORD"),
        ("Quiet.Harbour.S01E02.1080p.WEB-DL.x264-NORD[eztv].mkv", "NORD"),
        ("Quiet.Harbour.S01E02.1080p.WEB-DL.x264-NORD-Obfuscated.mkv", "NORD"),
        ("quiet.harbour.s01e02.1080p.web.x264-nord.sample.mkv", "nord"),
        ("Quiet.Harbour.2019.1080p.WEB-DL.x264-NL.mkv", "NL"),
        ("Quiet Harbour (2019) 720p BrRip x264 - NORD.mkv", "NORD"),
        ("[Nord-Subs] Quiet Harbour - 02 [1080p].mkv", "Nord-Subs"),
        ("Quiet Harbour (2019) [1080p] [NORD].mkv", "NORD"),
        ("Quiet.Harbour.2019.1080p.WEB-DL.mkv", None),
        ("Quiet.Harbour.2019.1080p.WEB-DL.H.265.mkv", None),
        ("Spider-Lantern.mkv", None),
    ],
)
def test_group(name: str, group: str | None) -> None:
    assert parse(name).release.group == group


def test_proper_and_repack() -> None:
    assert parse("Quiet.Harbour.S01E02.PROPER.720p.HDTV.x264-NORD.mkv").release.proper
    assert parse("Quiet.Harbour.S01E02.REPACK.720p.HDTV.x264-NORD.mkv").release.repack


def test_json_uses_camel_case() -> None:
    sent = msgspec.to_builtins(parse(FULL))
    assert sent["release"]["videoCodec"] == "H.265"
    assert sent["otherTitles"] == ()
    assert msgspec.json.decode(msgspec.json.encode(parse(FULL)), type=Parsed) == parse(FULL)


@pytest.mark.parametrize(
    ("name", "resolution", "group"),
    [
        ("Harbour.2010.1080p.UHD.BluRay.x264-NORD.mkv", "1080p", "NORD"),
        ("Harbour.2010.UHD.BluRay.1080p.x264-NORD.mkv", "1080p", "NORD"),
        ("Harbour.2010.UHD.BluRay.x265-NORD.mkv", "2160p", "NORD"),
        ("Harbour.2010.720p.BluRay.x264-FHD.mkv", "720p", "FHD"),
        ("Harbour.2010.BluRay.720p-FHD.mkv", "720p", "FHD"),
        ("Harbour.2010.FHD.WEB.mkv", "1080p", None),
    ],
)
def test_written_resolution_takes_precedence(name: str, resolution: str, group: str | None) -> None:
    release = parse(name).release
    assert (release.resolution, release.group) == (resolution, group)
