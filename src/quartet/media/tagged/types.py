import datetime
from typing import Literal

import msgspec

from quartet.media.naming.types import Facts

# Where the values for a name come from; each has a text in the UI.
TagReason = Literal[
    "tags",
    "tags_missing",
    "name_instead_of_tags",
    "by_fingerprint",
    "by_musicbrainz",
    "date_from_photo",
    "date_from_name",
    "date_from_file",
]


class TaggedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of music or a photo, with what its content says."""

    path: str
    modified_ns: int
    tags: dict[str, str] = {}
    # In seconds.
    duration: float | None = None

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def stem(self) -> str:
        return self.name.rpartition(".")[0] or self.name

    @property
    def extension(self) -> str:
        return self.name.rpartition(".")[2].lower()

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]


class TaggedFacts(msgspec.Struct, frozen=True):
    """The values for a name; without them the file needs a person."""

    facts: Facts | None
    confidence: float
    reasons: tuple[TagReason, ...]


class MusicTrack(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a track; None if unknown."""

    title: str | None = None
    artist: str | None = None
    album: str | None = None
    album_artist: str | None = None
    year: int | None = None
    track: int | None = None
    disc: int | None = None
    discs: int | None = None
    genre: str | None = None
    compilation: bool = False
    # Identifiers of MusicBrainz.
    release_id: str | None = None
    recording_id: str | None = None
    reasons: tuple[TagReason, ...] = ("tags",)


class TakenAt(msgspec.Struct, frozen=True):
    """When a photo was taken; `order` sorts photos of the same second."""

    time: datetime.datetime
    order: str
    confidence: float
    reason: TagReason
