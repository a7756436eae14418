import datetime
from typing import Annotated, Literal, NamedTuple

import msgspec

from quartet.kernel.errors import Problem
from quartet.media.types import FormatKind, Kind

LONGEST_TEMPLATE = 2000
LONGEST_SAVED = 500

# PostgreSQL does not accept NUL characters in text.
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"^[^\x00]*$")]
Template = Annotated[
    str, msgspec.Meta(min_length=1, max_length=LONGEST_SAVED, pattern=r"^[^\x00]*$")
]


class Facts(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The values for a name; None if unknown."""

    kind: FormatKind
    title: str
    original: str | None = None
    year: int | None = None
    season: int | None = None
    episodes: tuple[int, ...] = ()
    absolute: tuple[int, ...] = ()
    # One for each episode of the file.
    episode_titles: tuple[str, ...] = ()
    # The air date, such as 2021-03-04.
    date: str | None = None
    part: int | None = None
    edition: str | None = None
    resolution: str | None = None
    source: str | None = None
    video_codec: str | None = None
    audio_codec: str | None = None
    audio_channels: str | None = None
    hdr: str | None = None
    group: str | None = None
    languages: tuple[str, ...] = ()
    provider: str | None = None
    id: str | None = None
    imdb: str | None = None
    tmdb: str | None = None
    tvdb: str | None = None
    rating: float | None = None
    # The movies it belongs to, such as a trilogy.
    collection: str | None = None
    # With or without its dot.
    extension: str = ""
    # The artist of an album, and of a track if the album has several artists.
    artist: str | None = None
    track_artist: str | None = None
    album: str | None = None
    track: int | None = None
    # Only if the album has several.
    disc: int | None = None
    genre: str | None = None
    # Local time at which a photo was taken.
    taken: datetime.datetime | None = None
    camera: str | None = None
    # The old name without its extension.
    file: str | None = None


class NewFormat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    kind: FormatKind
    template: Template


class Format(msgspec.Struct, frozen=True, rename="camel"):
    """A named template; built-in ones cannot be changed."""

    id: str
    name: str
    kind: FormatKind
    template: str
    built_in: bool = False


class FormatPreviewRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    template: Annotated[str, msgspec.Meta(max_length=LONGEST_TEMPLATE)]
    kind: FormatKind


class Example(msgspec.Struct, frozen=True):
    """The new name of an example file."""

    source: str
    path: str


class FormatPreview(msgspec.Struct, frozen=True):
    """Examples, or the error in the template (`position` counts from 0).

    `tokens` has an example value for each token that files of this kind have.
    """

    examples: list[Example]
    tokens: dict[str, str] = {}
    error: Problem | None = None


class DetectRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A library to read, or file paths relative to one."""

    folder: Annotated[str, msgspec.Meta(max_length=4096)] = ""
    paths: Annotated[
        list[Annotated[str, msgspec.Meta(max_length=4096)]], msgspec.Meta(max_length=1000)
    ] = []


class Detected(msgspec.Struct, frozen=True):
    """The most common template among the `checked` files, and how many `agreed`."""

    kind: Kind
    template: str
    checked: int
    agreed: int


Product = Literal["filebot", "tinymediamanager", "sonarr", "radarr"]


class SchemeImport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The naming scheme of another program; without them, product and kind are recognised.

    Lines of the text are parts of one path, such as Sonarr's series folder, season folder and
    episode file.
    """

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_TEMPLATE)]
    product: Product | None = None
    kind: Kind | None = None


class SchemeProblem(msgspec.Struct, frozen=True):
    """A part of a scheme that was left out, or translated to something similar."""

    text: str
    problem: Literal["dropped", "approximated"]


class ImportedFormat(msgspec.Struct, frozen=True):
    product: Product
    kind: Kind
    template: str
    problems: list[SchemeProblem]


class CompanionName(NamedTuple):
    """A companion file, and what follows the video's new stem in its name."""

    source: str
    tail: str
