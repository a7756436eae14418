import secrets
import time
from typing import Any

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.sync.config.patterns import check_total_size, clean_patterns
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.store import folders
from quartet.sync.config.types.folders import Folder, FolderChange, NewFolder
from quartet.sync.config.types.revisions import ChangeSummary, Config
from quartet.sync.names import clean_name
from quartet.sync.protocol import Versioning
from quartet.sync.protocol.limits import FOLDERS_PER_DEVICE

# Readable like the engine's own ids: two groups of five, without l, o, 0 and 1.
ID_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


class Folders:
    def __init__(self, revisions: Revisions) -> None:
        self._revisions = revisions

    def folder(self, folder_id: int) -> Folder:
        folder = self._revisions.current.folders.get(folder_id)
        if folder is None:
            raise AppError(404, "folder_not_found", id=folder_id)
        return folder

    async def add(self, user: str, given: NewFolder) -> Folder:
        values = {
            "label": _label(given.label),
            "syncthing_folder_id": new_engine_folder_id(),
            "ignore_patterns": clean_patterns(given.ignore_patterns),
            "versioning": Versioning(),
            "encrypted_on_hub": given.encrypted_on_hub,
            "created_at": int(time.time()),
        }

        def work(tx: Tx, before: Config) -> int:
            if folders.count(tx.conn) >= FOLDERS_PER_DEVICE:
                raise AppError(422, "too_many_folders", max=FOLDERS_PER_DEVICE)
            added = folders.add(tx.conn, values)
            if given.ignore_patterns:
                check_total_size(folders.load_all(tx.conn).values(), before.shares)
            return added

        what = ChangeSummary("folder_added", {"folder": values["label"]})
        return self.folder(await self._revisions.change(user, what, work))

    async def change(self, user: str, folder_id: int, given: FolderChange) -> Folder:
        folder = self.folder(folder_id)
        values = _values(given)
        if not values:
            return folder

        def work(tx: Tx, before: Config) -> None:
            if not folders.change(tx.conn, folder_id, values):
                raise AppError(404, "folder_not_found", id=folder_id)
            if given.ignore_patterns:
                check_total_size(folders.load_all(tx.conn).values(), before.shares)

        await self._revisions.change(
            user, ChangeSummary("folder_changed", {"folder": folder.label}), work
        )
        return self.folder(folder_id)

    async def remove(self, user: str, folder_id: int) -> None:
        folder = self.folder(folder_id)

        def work(tx: Tx, _before: Config) -> None:
            if not folders.remove(tx.conn, folder_id):
                raise AppError(404, "folder_not_found", id=folder_id)

        await self._revisions.change(
            user, ChangeSummary("folder_removed", {"folder": folder.label}), work
        )


def new_engine_folder_id() -> str:
    groups = ("".join(secrets.choice(ID_LETTERS) for _ in range(5)) for _ in range(2))
    return "-".join(groups)


def _label(text: str) -> str:
    label = clean_name(text)
    if not label:
        raise AppError(400, "invalid_request", field="label")
    return label


def _values(given: FolderChange) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if given.label is not None:
        values["label"] = _label(given.label)
    if given.ignore_patterns is not None:
        values["ignore_patterns"] = clean_patterns(given.ignore_patterns)
    if given.versioning is not None:
        values["versioning"] = Versioning(
            max_age_days=given.versioning.max_age_days, on_devices=given.versioning.on_devices
        )
    return values
