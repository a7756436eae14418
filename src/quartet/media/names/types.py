import datetime
from typing import Literal

import msgspec

Kind = Literal["movie", "episode", "unknown"]
# What a video is that belongs to a movie or series but is neither the movie nor an episode.
ExtraKind = Literal[
    "trailer",
    "featurette",
    "behind_the_scenes",
    "deleted_scene",
    "interview",
    "short",
    "sample",
    "other",
]


# These cannot contain reference cycles, so the garbage collector may skip them.
class Guess(msgspec.Struct, frozen=True, rename="camel", gc=False):
    value: Kind = "unknown"
    # 0 to 1: the share of such names whose title, numbers and kind are right.
    confidence: float = 0.0


class Release(msgspec.Struct, frozen=True, rename="camel", gc=False):
    resolution: str | None = None
    source: str | None = None
    video_codec: str | None = None
    audio_codec: str | None = None
    # Codecs of the other tracks.
    other_audio_codecs: tuple[str, ...] = ()
    audio_channels: str | None = None
    hdr: str | None = None
    group: str | None = None
    # ISO 639-1 codes of the audio; subtitles do not count.
    languages: tuple[str, ...] = ()
    dubbed: bool = False
    proper: bool = False
    repack: bool = False


class Ids(msgspec.Struct, frozen=True, rename="camel", gc=False):
    imdb: str | None = None
    tmdb: int | None = None
    tvdb: int | None = None
    anidb: int | None = None


class OtherReading(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """Another way to read a name; the catalog decides which one exists.

    An episode without numbers has the title of its folder: `Firefly/Out of Gas.mkv`.
    """

    kind: Kind
    title: str | None = None
    seasons: tuple[int, ...] = ()
    # Without a season these are in absolute numbering.
    episodes: tuple[int, ...] = ()
    date: datetime.date | None = None


class Parsed(msgspec.Struct, frozen=True, rename="camel", gc=False):
    kind: Guess = Guess()
    title: str | None = None
    # The same title in another script or language, if the name has both.
    other_titles: tuple[str, ...] = ()
    year: int | None = None
    # What follows the numbers, or the year if there are none: usually the title of an episode.
    episode_title: str | None = None
    # Two-letter code that distinguishes titles: `The Office US`.
    country: str | None = None
    # Several for a pack; see `season`.
    seasons: tuple[int, ...] = ()
    # Without a season these are in absolute numbering; see `absolute`.
    episodes: tuple[int, ...] = ()
    absolute: int | None = None
    # Less likely numbers, best first.
    other_readings: tuple[OtherReading, ...] = ()
    date: datetime.date | None = None
    part: int | None = None
    special: bool = False
    edition: str | None = None
    release: Release = Release()
    ids: Ids = Ids()
    sample: bool = False
    # Title, year and numbers are then those of what the extra belongs to.
    extra: ExtraKind | None = None
    extra_title: str | None = None
    extension: str | None = None
    # A user set the numbers, so they cannot be read in another way.
    corrected: bool = False

    @property
    def season(self) -> int | None:
        return self.seasons[0] if len(self.seasons) == 1 else None
