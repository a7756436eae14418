from typing import Annotated, Literal

import msgspec

from quartet.kernel.events import Event
from quartet.media.roots.kinds import EntryKind
from quartet.media.roots.texts import path_of

FolderKind = Literal["folder", "movies", "series"]

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"^[^\x00]*$")]
TypedPath = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]


class Folder(msgspec.Struct, frozen=True):
    """A folder files may be read and changed in; a library is also a target."""

    id: int
    path: str
    name: str
    kind: FolderKind
    # Where matched movies or series go; one library of each kind.
    default: bool
    # Whether a disk was mounted exactly here when the folder was added.
    mounted: bool

    @property
    def system_path(self) -> str:
        return path_of(self.path)


class NewFolder(msgspec.Struct, frozen=True, omit_defaults=True):
    """Without a name the last part of the path is taken."""

    path: TypedPath
    kind: FolderKind = "folder"
    name: Name | None = None
    default: bool = False


class FolderChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is left out stays as it is."""

    name: Name | None = None
    kind: FolderKind | None = None
    default: bool | None = None


class BrowseEntry(msgspec.Struct, frozen=True):
    name: str
    path: str
    kind: EntryKind
    size: int
    # Milliseconds since 1970.
    modified: int


class Browsed(msgspec.Struct, frozen=True):
    """`cursor` asks for what comes after; without one this is the end."""

    path: str
    # The folder around this one; nothing where that is not configured.
    parent: str | None
    entries: list[BrowseEntry]
    cursor: str | None


class Legacy(msgspec.Struct, frozen=True, rename="camel"):
    """The part of an old `settings.json` that named folders."""

    allowed_roots: list[str] = []
    default_target: str | None = None


class FoldersChanged(Event, frozen=True, tag="folders.changed"):
    """The list of configured folders is another one now."""
