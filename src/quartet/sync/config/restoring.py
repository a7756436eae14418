"""Compares the configuration with an earlier revision; pure functions."""

from quartet.sync.config.types.folders import Folder
from quartet.sync.config.types.restoring import (
    FolderRestore,
    RestorePreview,
    SharePlace,
    ShareRestore,
)
from quartet.sync.config.types.revisions import Config, Snapshot
from quartet.sync.config.types.shares import Share

Pair = tuple[int, int]


def restore_preview(config: Config, wanted: Snapshot) -> RestorePreview:
    """Return what restoring the snapshot would change."""
    folders = {folder.id: folder for folder in wanted.folders}
    before = {_pair(share): share for share in config.shares}
    # Shares of removed devices are not restored.
    after = {_pair(share): share for share in wanted.shares if share.device_id in config.devices}
    changed = [
        pair
        for pair in sorted(before.keys() | after.keys())
        if _place(before.get(pair)) != _place(after.get(pair))
    ]
    labels = {id: folder.label for id, folder in {**config.folders, **folders}.items()}
    return RestorePreview(
        folders=_folders(dict(config.folders), folders),
        shares=[
            ShareRestore(
                labels[folder_id],
                config.devices[device_id].name,
                _place(before.get((folder_id, device_id))),
                _place(after.get((folder_id, device_id))),
            )
            for folder_id, device_id in changed
        ],
    )


def _folders(before: dict[int, Folder], after: dict[int, Folder]) -> list[FolderRestore]:
    found = []
    for id in sorted(before.keys() | after.keys()):
        was, becomes = before.get(id), after.get(id)
        if becomes is None and was is not None:
            found.append(FolderRestore(was.label, "removed"))
        elif was is None and becomes is not None:
            found.append(FolderRestore(becomes.label, "added"))
        elif was is not None and becomes is not None and was != becomes:
            found.append(FolderRestore(becomes.label, "changed"))
    return found


def _pair(share: Share) -> Pair:
    return share.folder_id, share.device_id


def _place(share: Share | None) -> SharePlace | None:
    return SharePlace(share.mode, share.path, share.ignore_patterns) if share else None
