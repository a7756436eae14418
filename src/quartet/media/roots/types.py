from typing import Annotated, Literal

import msgspec

from quartet.kernel.events import Event
from quartet.media.roots.file_kinds import EntryKind
from quartet.media.roots.path_encoding import decode_path

FolderKind = Literal["folder", "movies", "series", "music", "photos"]

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"^[^\x00]*$")]
# Such as `de` or `pt-BR`.
SubtitleLanguages = Annotated[
    tuple[Annotated[str, msgspec.Meta(pattern=r"^[a-z]{2}(-[A-Z]{2})?$")], ...],
    msgspec.Meta(max_length=10),
]
# In pixels; the upper limit stands for pictures in their original size.
PictureWidth = Annotated[int, msgspec.Meta(ge=100, le=10_000)]
TypedPath = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]


class Folder(msgspec.Struct, frozen=True, rename="camel"):
    """A folder in which files may be read and changed; libraries are also targets."""

    id: int
    path: str
    name: str
    kind: FolderKind
    # Target for the files of its kind; one library per kind.
    default: bool
    # Whether the path was a mount point when the folder was added.
    mounted: bool
    # Whether NFO files and pictures are written next to videos in this library.
    nfo: bool = False
    # Languages of the subtitles to search for, for the videos in this library.
    subtitles: tuple[str, ...] = ()
    # The largest widths of its pictures, in pixels.
    poster_width: int = 780
    fanart_width: int = 1280

    @property
    def system_path(self) -> str:
        return decode_path(self.path)


class NewFolder(
    msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True
):
    """Without a name, the last part of the path is used."""

    path: TypedPath
    kind: FolderKind = "folder"
    name: Name | None = None
    default: bool = False
    nfo: bool = False
    subtitles: SubtitleLanguages = ()
    poster_width: PictureWidth = 780
    fanart_width: PictureWidth = 1280


class FolderChange(
    msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True
):
    """Omitted fields stay unchanged."""

    name: Name | None = None
    kind: FolderKind | None = None
    default: bool | None = None
    nfo: bool | None = None
    subtitles: SubtitleLanguages | None = None
    poster_width: PictureWidth | None = None
    fanart_width: PictureWidth | None = None


class BrowseEntry(msgspec.Struct, frozen=True):
    name: str
    path: str
    kind: EntryKind
    size: int
    # Milliseconds since 1970.
    modified: int


class Browsed(msgspec.Struct, frozen=True):
    """`cursor` requests the next page; null on the last one."""

    path: str
    # The parent folder, or null if it is not configured.
    parent: str | None
    entries: list[BrowseEntry]
    cursor: str | None


class Legacy(msgspec.Struct, frozen=True, rename="camel"):
    """The folders in an old `settings.json`."""

    allowed_roots: list[str] = []
    default_target: str | None = None


class FoldersChanged(Event, frozen=True, tag="folders.changed"):
    """The configured folders have changed."""
