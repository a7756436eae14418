"""Reads a file's header with FFmpeg. Only runs in a child process, because input may be hostile."""

import re
from pathlib import Path
from typing import Any

import av
import av.container
from av.sidedata.sidedata import Type

from quartet.media.probe.exif import exif
from quartet.media.probe.types import Probed, Track

# No formats that refer to other files or addresses, such as playlists.
_FORMATS = (
    "matroska,webm,mov,mp4,avi,asf,mpegts,mpeg,mpegvideo,flv,ogg,rm,ivf,h264,hevc,"
    "mp3,flac,wav,aac,ape,wv,aiff,dsf"
)
_OPTIONS = {"protocol_whitelist": "file", "format_whitelist": _FORMATS}
_PHOTOS = frozenset(
    (
        *(".jpg", ".jpeg", ".heic", ".heif", ".hif", ".avif", ".tif", ".tiff", ".dng"),
        *(".cr2", ".cr3", ".nef", ".nrw", ".arw", ".sr2", ".orf", ".rw2", ".raf", ".pef", ".srw"),
    )
)
_BY_WIDTH = ((7000, "4320p"), (3200, "2160p"), (2400, "1440p"), (1800, "1080p"), (1200, "720p"))
_BY_HEIGHT = ((4300, "4320p"), (2100, "2160p"), (1400, "1440p"), (1000, "1080p"), (700, "720p"))
_VIDEO = {
    "h264": "H.264", "hevc": "H.265", "vvc": "H.266", "av1": "AV1", "vp9": "VP9", "vp8": "VP8",
    "mpeg4": "MPEG-4", "mpeg2video": "MPEG-2", "vc1": "VC-1", "wmv3": "WMV", "h263": "H.263",
}  # fmt: skip
_AUDIO = {
    "truehd": "TrueHD", "eac3": "DD+", "ac3": "AC3", "aac": "AAC", "flac": "FLAC", "opus": "Opus",
    "vorbis": "Vorbis", "mp3": "MP3", "mp2": "MP2", "wmav2": "WMA", "dts": "DTS",
}  # fmt: skip
_LAYOUTS = {1: "1.0", 2: "2.0", 3: "2.1", 6: "5.1", 7: "6.1", 8: "7.1"}
_LANGUAGES = {
    "ara": "ar", "chi": "zh", "zho": "zh", "cze": "cs", "ces": "cs", "dan": "da", "dut": "nl",
    "nld": "nl", "eng": "en", "fin": "fi", "fre": "fr", "fra": "fr", "ger": "de", "deu": "de",
    "gre": "el", "ell": "el", "heb": "he", "hin": "hi", "hun": "hu", "ita": "it", "jpn": "ja",
    "kor": "ko", "nor": "no", "pol": "pl", "por": "pt", "rum": "ro", "ron": "ro", "rus": "ru",
    "spa": "es", "swe": "sv", "tha": "th", "tur": "tr", "ukr": "uk", "vie": "vi",
}  # fmt: skip
_PQ, _HLG = 16, 18
_DOLBY_VISION = ("dvh1", "dvhe", "dva1", "dvav", "dav1")
_MOST_TRACKS = 100
MOST_COVER_BYTES = 4 << 20
_LONGEST_TAG = 500
_MOST_TAGS = 50
# Where a video was recorded is private and not needed.
_PLACE = re.compile(r"location|gps|latitude|longitude|xyz", re.I)


def read_media(path: Path) -> Probed:
    """Raises an FFmpeg error if it is not a media file."""
    if path.suffix.lower() in _PHOTOS:
        return Probed(tags=exif(path))
    with av.open(str(path), options=_OPTIONS, metadata_errors="replace") as container:
        return _probed(container)


def read_cover(path: Path) -> bytes | None:
    """Return the picture embedded in a track, as it was stored."""
    with av.open(str(path), options=_OPTIONS, metadata_errors="replace") as container:
        for stream in container.streams.video:
            if _is_cover(stream):
                packet = next(container.demux(stream), None)
                picture = bytes(packet) if packet and packet.size <= MOST_COVER_BYTES else b""
                return picture or None
    return None


def _probed(container: av.container.InputContainer) -> Probed:
    pictures = [stream for stream in container.streams.video if not _is_cover(stream)]
    shown = _video(container, pictures[0]) if pictures else {}
    return Probed(
        **shown,
        audio=tuple(_sound(stream) for stream in container.streams.audio[:_MOST_TRACKS]),
        subtitles=tuple(_track(each) for each in container.streams.subtitles[:_MOST_TRACKS]),
        duration=container.duration / av.time_base if container.duration else None,
        tags=_tags(_metadata(container)),
    )


def _video(container: av.container.InputContainer, stream: Any) -> dict[str, Any]:
    context = stream.codec_context
    width, height = context.width, context.height
    return {
        "width": width,
        "height": height,
        "resolution": resolution(width, height),
        "video_codec": _VIDEO.get(_codec(stream), _codec(stream).upper()),
        "hdr": _hdr(container, stream),
    }


def resolution(width: int, height: int) -> str | None:
    """By width, because black bars may be cropped; by height for narrow pictures."""
    if not width or not height:
        return None
    for (wide, name), (high, _) in zip(_BY_WIDTH, _BY_HEIGHT, strict=True):
        if width >= wide or height >= high:
            return name
    return "576p" if width >= 900 or height >= 550 else "480p"


def _hdr(container: av.container.InputContainer, stream: Any) -> str | None:
    context = stream.codec_context
    if str(context.codec_tag).strip("\0 ").lower() in _DOLBY_VISION:
        return "DV"
    if context.color_trc == _PQ:
        return _hdr_of_first_frame(container, stream)
    return "HLG" if context.color_trc == _HLG else None


def _hdr_of_first_frame(container: av.container.InputContainer, stream: Any) -> str:
    """Decode one frame, because Dolby Vision and HDR10+ are stored per frame."""
    try:
        frame = next(container.decode(stream), None)
        kinds = {side.type for side in frame.side_data} if frame else set()
    except av.FFmpegError:
        kinds = set()
    if kinds & {Type.DOVI_METADATA, Type.DOVI_RPU_BUFFER}:
        return "DV"
    return "HDR10+" if Type.DYNAMIC_HDR_PLUS in kinds else "HDR10"


def _sound(stream: Any) -> Track:
    codec = _codec(stream)
    name = _AUDIO.get(codec) or ("PCM" if codec.startswith("pcm_") else codec.upper())
    if codec == "dts" and "HD" in (stream.profile or ""):
        name = "DTS-HD"
    channels = stream.codec_context.channels
    return _track(stream, name, _LAYOUTS.get(channels, f"{channels}.0" if channels else None))


def _track(stream: Any, codec: str | None = None, layout: str | None = None) -> Track:
    language = (stream.language or "und")[:20]
    return Track(
        codec or _codec(stream).upper(),
        _LANGUAGES.get(language, language) if language != "und" else None,
        layout,
        (stream.metadata.get("title") or "")[:_LONGEST_TAG] or None,
        bool(stream.disposition & stream.disposition.default),
        bool(stream.disposition & stream.disposition.forced),
    )


def _is_cover(stream: Any) -> bool:
    return bool(stream.disposition & stream.disposition.attached_pic)


def _codec(stream: Any) -> str:
    """Use the canonical name; decoders have their own, such as `libdav1d`."""
    context = stream.codec_context
    return str(context.codec.canonical_name) if context else "unknown"


def _metadata(container: av.container.InputContainer) -> dict[str, str]:
    """Return the tags of the file; Ogg stores those of music with the audio track."""
    if len(container.streams.audio) != 1 or container.metadata.get("title"):
        return container.metadata
    return {**container.streams.audio[0].metadata, **container.metadata}


def _tags(metadata: dict[str, str]) -> dict[str, str]:
    cached = [one for one in metadata.items() if not _PLACE.search(one[0])][:_MOST_TAGS]
    return {name.lower()[:100]: value[:_LONGEST_TAG] for name, value in cached}
