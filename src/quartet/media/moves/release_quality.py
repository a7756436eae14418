"""Compares the quality of two releases of the same title."""

from collections.abc import Callable

import msgspec

RESOLUTIONS = (
    *("240p", "360p", "368p", "400p", "404p", "480p", "540p", "576p"),
    *("720p", "900p", "1080i", "1080p", "1440p", "2160p", "4320p"),
)

# From lower to higher; names in one group are equal.
_SOURCES = (
    ("dvd",),
    ("hdtv",),
    ("hdrip",),
    ("web", "webrip"),
    ("web-dl",),
    ("bluray",),
    ("remux",),
)
_HDR = (("sdr",), ("hdr", "hdr10", "hlg"), ("hdr10+", "dv"))
# As written in file names and as read from the content.
_VIDEO = (
    ("h.263", "realvideo"),
    ("xvid", "divx", "mpeg-4", "msmpeg4v3", "mpeg-2", "wmv", "vp7"),
    ("h.264", "vc-1", "vp8"),
    ("h.265", "vp9"),
    ("av1",),
    ("h.266",),
)
_AUDIO = (
    ("mp3", "mp2", "wma"),
    ("aac", "opus", "vorbis"),
    ("ac3",),
    ("dd+", "dd+ atmos", "dts"),
    ("flac", "pcm"),
    ("dts-hd", "dts:x", "truehd", "truehd atmos"),
)


class ReleaseQuality(msgspec.Struct, frozen=True, kw_only=True):
    """The known qualities of a file; None if unknown."""

    resolution: str | None = None
    source: str | None = None
    hdr: str | None = None
    video_codec: str | None = None
    audio_codec: str | None = None
    audio_channels: float | None = None
    # A corrected release: proper or repack.
    proper: bool | None = None
    size: int | None = None


def is_better(new: ReleaseQuality, old: ReleaseQuality) -> bool | None:
    """Compare by the first criterion that is known for both and differs; None if there is no such
    one.
    """
    for rank in _CRITERIA:
        one, other = rank(new), rank(old)
        if one is not None and other is not None and one != other:
            return one > other
    return None


def _ranks(*groups: tuple[str, ...]) -> dict[str, int]:
    return {name: rank for rank, names in enumerate(groups) for name in names}


def _rank(table: dict[str, int], value: str | None) -> float | None:
    return None if value is None else table.get(value.lower())


_RESOLUTION_RANK = _ranks(*((name,) for name in RESOLUTIONS))
_SOURCE_RANK = _ranks(*_SOURCES)
_HDR_RANK = _ranks(*_HDR)
_VIDEO_RANK = _ranks(*_VIDEO)
_AUDIO_RANK = _ranks(*_AUDIO)

_CRITERIA: tuple[Callable[[ReleaseQuality], float | None], ...] = (
    lambda quality: _rank(_RESOLUTION_RANK, quality.resolution),
    lambda quality: _rank(_SOURCE_RANK, quality.source),
    lambda quality: _rank(_HDR_RANK, quality.hdr),
    lambda quality: _rank(_VIDEO_RANK, quality.video_codec),
    lambda quality: _rank(_AUDIO_RANK, quality.audio_codec),
    lambda quality: quality.audio_channels,
    lambda quality: quality.proper,
    lambda quality: quality.size,
)
