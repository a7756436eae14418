from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from quartet.sync.protocol import Versioning
from quartet.sync.protocol.limits import LABEL_CHARS, VERSION_DAYS

Label = Annotated[str, Meta(min_length=1, max_length=LABEL_CHARS)]


class Folder(msgspec.Struct, frozen=True):
    id: int
    label: str
    engine_folder_id: str
    ignore_patterns: list[str]
    versioning: Versioning
    # Fixed at creation: the engine cannot change it later.
    encrypted_on_hub: bool
    created_at: int


class NewFolder(msgspec.Struct, frozen=True, rename="camel"):
    label: Label
    ignore_patterns: list[str] = []
    encrypted_on_hub: bool = False


class VersioningChange(msgspec.Struct, frozen=True, rename="camel"):
    max_age_days: Annotated[int, Meta(ge=0, le=36500, description="0 keeps versions forever")] = (
        VERSION_DAYS
    )
    on_devices: bool = False


class FolderChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    label: Label | None = None
    ignore_patterns: list[str] | None = None
    versioning: VersioningChange | None = None


class ShownVersioning(msgspec.Struct, frozen=True, rename="camel"):
    type: Literal["staggered"]
    max_age_days: int
    # Whether devices keep old versions as well; the hub always does.
    on_devices: bool


class ShownFolder(msgspec.Struct, frozen=True, rename="camel"):
    id: int
    label: str
    engine_folder_id: str
    ignore_patterns: list[str]
    versioning: ShownVersioning
    encrypted_on_hub: bool
    created_at: int
    conflicts: int


def shown_folder(folder: Folder, conflicts: int = 0) -> ShownFolder:
    return ShownFolder(
        id=folder.id,
        label=folder.label,
        engine_folder_id=folder.engine_folder_id,
        ignore_patterns=folder.ignore_patterns,
        versioning=ShownVersioning(
            folder.versioning.type, folder.versioning.max_age_days, folder.versioning.on_devices
        ),
        encrypted_on_hub=folder.encrypted_on_hub,
        created_at=folder.created_at,
        conflicts=conflicts,
    )
