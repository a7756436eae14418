"""Questions of the server about the folders of a device, and the answers of its agent."""

from typing import Annotated, Literal

from msgspec import Meta

from quartet.sync.protocol.limits import (
    DRIFTED_FILES,
    FOLDER_NAMES,
    MISSING_FILES,
    PATH_CHARS,
    PATTERN_CHARS,
    PATTERNS,
    PLACES,
)
from quartet.sync.protocol.message_types import (
    Code,
    Count,
    FolderName,
    Inputs,
    Message,
    MessagePart,
)

PlaceKind = Literal["home", "documents", "disk", "allowed"]


class Inspect(Message, frozen=True, tag="inspect"):
    """Asks for the ignore patterns in a folder that is to be shared, for the files of a shared
    folder that differ from its mode, for the folders in a folder, or for a scan; always signed.
    """

    request: int
    path: str = ""
    # The shared folder. Agents of earlier versions answer without files.
    folder: str = ""
    # Lists the names of the folders in this folder, or the places of the device if it is empty.
    # Agents of earlier versions answer without them.
    browse: str | None = None
    # Asks to scan the shared folder and to answer afterwards. Agents of earlier versions list its
    # files that differ from its mode.
    scan: bool = False
    # Together with `scan`: try failed files again at once.
    retry: bool = False
    # Asks for the files of the shared folder that the device lacks. Agents of earlier versions list
    # the files that differ from its mode.
    missing: bool = False


class DriftedFile(MessagePart, frozen=True):
    path: Annotated[str, Meta(max_length=PATH_CHARS)]
    deleted: bool = False


class MissingFile(MessagePart, frozen=True):
    """A change that a device or the hub has yet to receive."""

    path: Annotated[str, Meta(max_length=PATH_CHARS)]
    deleted: bool = False
    size: Count = 0
    # Why it failed; empty if it is only waiting.
    code: Code | Literal[""] = ""
    inputs: Inputs = {}


class MissingFiles(MessagePart, frozen=True):
    # Failed ones first.
    files: Annotated[list[MissingFile], Meta(max_length=MISSING_FILES)]
    # True if there are more.
    more: bool = False


class Place(MessagePart, frozen=True):
    """Where a user keeps files on a device."""

    kind: PlaceKind
    path: Annotated[str, Meta(max_length=PATH_CHARS)]
    # 0 if unknown.
    free_bytes: Count = 0


class Inspected(Message, frozen=True, tag="inspected"):
    request: Count
    ignore_patterns: Annotated[
        list[Annotated[str, Meta(max_length=PATTERN_CHARS)]], Meta(max_length=PATTERNS)
    ] = []
    # The first files that differ; None if the agent cannot list them.
    files: Annotated[list[DriftedFile], Meta(max_length=DRIFTED_FILES)] | None = None
    # None if the agent cannot list them, or if its owner does not allow the folder.
    places: Annotated[list[Place], Meta(max_length=PLACES)] | None = None
    folders: Annotated[list[FolderName], Meta(max_length=FOLDER_NAMES)] | None = None
    # True if there are more folders than listed.
    more: bool = False
    # The number of the engine's last change in the folder after a scan; 0 if it is unknown.
    sequence: Count = 0
    # None if the agent cannot list them.
    missing: MissingFiles | None = None
