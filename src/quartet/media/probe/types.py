import msgspec


class Track(msgspec.Struct, frozen=True, rename="camel"):
    """One sound or subtitle track."""

    codec: str
    # ISO 639-1 where there is one, else as the file says.
    language: str | None = None
    # Of sound: `5.1`, `2.0`.
    layout: str | None = None
    title: str | None = None
    default: bool = False
    forced: bool = False


class Probed(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the content of a file says."""

    resolution: str | None = None
    width: int | None = None
    height: int | None = None
    video_codec: str | None = None
    hdr: str | None = None
    audio: tuple[Track, ...] = ()
    subtitles: tuple[Track, ...] = ()
    # Seconds.
    duration: float | None = None
    # Artist, album, track and the like; the date a photo was taken.
    tags: dict[str, str] = {}
