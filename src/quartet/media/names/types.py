import datetime
from typing import Literal

import msgspec

Kind = Literal["movie", "episode", "unknown"]


# None of these can hold itself, so the garbage collector need not look at the many there are.
class Guess(msgspec.Struct, frozen=True, rename="camel", gc=False):
    value: Kind = "unknown"
    # 0..1: the share of such names that are right in title, numbers and kind.
    confidence: float = 0.0


class Release(msgspec.Struct, frozen=True, rename="camel", gc=False):
    resolution: str | None = None
    source: str | None = None
    video_codec: str | None = None
    audio_codec: str | None = None
    # Of further tracks.
    other_audio_codecs: tuple[str, ...] = ()
    audio_channels: str | None = None
    hdr: str | None = None
    group: str | None = None
    # ISO 639-1, of the sound; subtitles are not counted.
    languages: tuple[str, ...] = ()
    dubbed: bool = False
    proper: bool = False
    repack: bool = False


class Ids(msgspec.Struct, frozen=True, rename="camel", gc=False):
    imdb: str | None = None
    tmdb: int | None = None
    tvdb: int | None = None
    anidb: int | None = None


class Parsed(msgspec.Struct, frozen=True, rename="camel", gc=False):
    kind: Guess = Guess()
    title: str | None = None
    # The same title in another script or language, where the name gives both.
    other_titles: tuple[str, ...] = ()
    year: int | None = None
    # Two-letter code where the title is told apart by it: `The Office US`.
    country: str | None = None
    # More than one for a pack; `season` is the only one, if it is only one.
    seasons: tuple[int, ...] = ()
    # Without a season these count from the start of the series; see `absolute`.
    episodes: tuple[int, ...] = ()
    absolute: int | None = None
    date: datetime.date | None = None
    part: int | None = None
    special: bool = False
    edition: str | None = None
    release: Release = Release()
    ids: Ids = Ids()
    sample: bool = False
    extension: str | None = None

    @property
    def season(self) -> int | None:
        return self.seasons[0] if len(self.seasons) == 1 else None
