import msgspec


class Track(msgspec.Struct, frozen=True, rename="camel"):
    """One audio or subtitle track."""

    codec: str
    # ISO 639-1 if known, otherwise as in the file.
    language: str | None = None
    # Audio channels: `5.1`, `2.0`.
    layout: str | None = None
    title: str | None = None
    default: bool = False
    forced: bool = False


class Probed(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Information read from a file's content."""

    resolution: str | None = None
    width: int | None = None
    height: int | None = None
    video_codec: str | None = None
    hdr: str | None = None
    audio: tuple[Track, ...] = ()
    subtitles: tuple[Track, ...] = ()
    # In seconds.
    duration: float | None = None
    # Artist, album, track and the like; the date a photo was taken.
    tags: dict[str, str] = {}
