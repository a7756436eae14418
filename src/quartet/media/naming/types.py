from typing import Annotated, NamedTuple

import msgspec

from quartet.kernel.errors import Problem
from quartet.media.catalog.types import Kind

LONGEST_TEMPLATE = 2000
LONGEST_SAVED = 500

# PostgreSQL keeps no text with a zero in it.
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"^[^\x00]*$")]
Template = Annotated[
    str, msgspec.Meta(min_length=1, max_length=LONGEST_SAVED, pattern=r"^[^\x00]*$")
]


class Facts(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Everything a name may be made of; nothing where it is not known."""

    kind: Kind
    title: str
    original: str | None = None
    year: int | None = None
    season: int | None = None
    episodes: tuple[int, ...] = ()
    absolute: tuple[int, ...] = ()
    # One for each episode of the file.
    episode_titles: tuple[str, ...] = ()
    # As 2021-03-04: the day an episode was first shown.
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
    # With or without its dot.
    extension: str = ""


class NewFormat(msgspec.Struct, frozen=True):
    name: Name
    kind: Kind
    template: Template


class Format(msgspec.Struct, frozen=True, rename="camel"):
    """A template with a name; the built-in ones cannot be changed."""

    id: str
    name: str
    kind: Kind
    template: str
    built_in: bool = False


class FormatPreviewRequest(msgspec.Struct, frozen=True):
    template: Annotated[str, msgspec.Meta(max_length=LONGEST_TEMPLATE)]
    kind: Kind


class Example(msgspec.Struct, frozen=True):
    """What a file would be called."""

    source: str
    path: str


class FormatPreview(msgspec.Struct, frozen=True):
    """Examples, or what is wrong with the template and where (`position` counts from 0)."""

    examples: list[Example]
    error: Problem | None = None


class DetectRequest(msgspec.Struct, frozen=True):
    """A library to look at, or paths of files relative to one."""

    folder: Annotated[str, msgspec.Meta(max_length=4096)] = ""
    paths: Annotated[
        list[Annotated[str, msgspec.Meta(max_length=4096)]], msgspec.Meta(max_length=1000)
    ] = []


class Detected(msgspec.Struct, frozen=True):
    """The template most of the `checked` files were named by, and how many `agreed`."""

    kind: Kind
    template: str
    checked: int
    agreed: int


class Companion(NamedTuple):
    """A file that travels with its video, and what follows the video's new stem in its name."""

    source: str
    tail: str
