from typing import Literal

import msgspec

from quartet.sync.config.types.shares import ShareMode


class FolderRestore(msgspec.Struct, frozen=True):
    """A folder that is added, removed, or gets other settings."""

    label: str
    change: Literal["added", "removed", "changed"]


class SharePlace(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    mode: ShareMode
    path: str
    ignore_patterns: list[str] = []


class ShareRestore(msgspec.Struct, frozen=True):
    """A share before and after; None means off."""

    folder: str
    device: str
    before: SharePlace | None
    after: SharePlace | None


class RestorePreview(msgspec.Struct, frozen=True):
    folders: list[FolderRestore]
    shares: list[ShareRestore]
