import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.events import Signal
from quartet.sync.activity.service import Activity
from quartet.sync.config.service.folders import Folders
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.folders import Folder
from quartet.sync.hub.types import Hub, HubChange
from quartet.sync.hubfiles.conflicts import content, finder, store
from quartet.sync.hubfiles.conflicts.copy_origins import CopyOrigins
from quartet.sync.hubfiles.conflicts.resolve import resolve
from quartet.sync.hubfiles.conflicts.types import (
    Conflict,
    Content,
    Keep,
    KnownConflict,
    Maker,
    Resolve,
    ResolveAll,
    ResolvedAll,
)
from quartet.sync.hubfiles.folder_on_disk import FolderOnDisk
from quartet.sync.hubfiles.rescan import rescan

log = logging.getLogger("quartet.sync.conflicts")

# Tells all servers on the same database that the known conflicts changed.
TOPIC = "sync-conflicts"
# More new conflicts than this are recorded as one event.
MAX_RECORDED = 20
SEARCH_SECONDS = 30.0
# Searching may take at most this fraction of the time, so slow folders are searched less often.
MAX_TIME_FRACTION = 0.05


class Conflicts:
    def __init__(
        self,
        db: Database,
        data: Path,
        revisions: Revisions,
        hub: Hub,
        activity: Activity,
    ) -> None:
        self._db = db
        self._data = data
        self._revisions = revisions
        self._folders = Folders(revisions)
        self._hub = hub
        self._activity = activity
        self._origins = CopyOrigins(hub)
        self._known = db.write_sync(lambda tx: store.load_all(tx.conn))
        self._hints: dict[str, set[str]] = defaultdict(set)
        self._not_before: dict[int, float] = {}
        # Only one search or resolution at a time.
        self._lock = asyncio.Lock()
        self.hinted = asyncio.Event()
        self.on_change: Callable[[], None] = lambda: None

    async def reload(self) -> None:
        """Load the conflicts that another server found."""
        async with self._lock:
            self._known = await self._db.read(store.load_all)
        self.on_change()

    def count(self, folder_id: int) -> int:
        return len(self._known.get(folder_id, ()))

    def handle_changes(self, changes: Iterable[HubChange]) -> None:
        """Handle changes reported by the hub's engine."""
        changes = list(changes)
        self._origins.remember(changes)
        for change in changes:
            if finder.is_copy(change.path):
                self._hints[change.folder].add(change.path)
                self.hinted.set()

    async def search(self) -> None:
        """Search all folders that are due."""
        folders = self._revisions.current.folders
        for gone in self._known.keys() - folders.keys():
            del self._known[gone]
        for folder in folders.values():
            if not folder.encrypted_on_hub and self._is_due(folder.id):
                await self._search(folder)

    def _is_due(self, folder_id: int) -> bool:
        return self._not_before.get(folder_id, 0.0) <= time.monotonic()

    async def _search(self, folder: Folder) -> None:
        began = time.monotonic()
        async with self._lock:
            found = await asyncio.to_thread(finder.search, FolderOnDisk(self._data, folder))
            ended = time.monotonic()
            pause = (ended - began) / MAX_TIME_FRACTION - SEARCH_SECONDS
            self._not_before[folder.id] = ended + max(pause, 0.0)
            await self._take(folder, found, self._known.get(folder.id, {}).keys() - found)

    async def follow_hints(self) -> None:
        """Check only the paths that the engine reported."""
        self.hinted.clear()
        hints, self._hints = self._hints, defaultdict(set)
        config = self._revisions.current
        for engine_folder_id, paths in hints.items():
            folder = config.folders.get(config.folder_id_by_engine_id.get(engine_folder_id, 0))
            if folder is not None and not folder.encrypted_on_hub:
                await self._look_at(folder, paths)

    async def _look_at(self, folder: Folder, paths: set[str]) -> None:
        async with self._lock:
            place = FolderOnDisk(self._data, folder)
            there = await asyncio.to_thread(finder.still_there, place, paths)
            room = finder.MOST_CONFLICTS - self.count(folder.id)
            await self._take(folder, set(sorted(there)[: max(room, 0)]), paths - there)

    async def _take(self, folder: Folder, found: set[str], gone: Iterable[str]) -> None:
        known = self._known.setdefault(folder.id, {})
        gone = known.keys() & set(gone)
        new = found - known.keys()
        asked = [path for path in found if path not in known or not known[path].made_by]
        made_by = {path: await self._origins.of(folder.engine_folder_id, path) for path in asked}
        changed = [
            KnownConflict(path, made_by[path]) for path in asked if path in new or made_by[path]
        ]
        if not changed and not gone:
            return
        await self._db.write(_put, folder.id, changed, gone)
        for path in gone:
            del known[path]
        known |= {each.copy_path: each for each in changed}
        for path in sorted(new):
            log.info("folder %d: conflict found: %s", folder.id, path)
        self._tell(folder, [known[path] for path in sorted(new)])
        self.on_change()

    def _tell(self, folder: Folder, new: list[KnownConflict]) -> None:
        record = partial(
            self._activity.record, "conflict", folder_id=folder.id, folder=folder.label
        )
        if len(new) > MAX_RECORDED:
            record("conflicts_found", count=len(new))
            return
        for each in new:
            maker = self._maker(each)
            path = "/".join(finder.copy_of(each.copy_path).of)
            if maker is None:
                record("conflict_found", path=path)
            else:
                record("conflict_found_of", path=path, device=maker.name, device_id=maker.device_id)

    def _maker(self, known: KnownConflict) -> Maker | None:
        config = self._revisions.current
        device = config.devices.get(config.device_id_by_engine_id.get(known.made_by, 0))
        return Maker(device.name, device.id) if device else None

    async def page(self, folder_id: int) -> list[Conflict]:
        """Return the known conflicts that still exist, sorted by path."""
        place = self._place(folder_id)
        known = self._known.get(folder_id, {})
        makers = {path: self._maker(each) for path, each in known.items()}
        return await asyncio.to_thread(_shown, place, dict(known), makers)

    async def content(self, folder_id: int, copy_path: str) -> Content:
        place = self._place(folder_id)
        copy = finder.copy_of(copy_path)
        author = await self._author(folder_id, "/".join(copy.of))
        return await asyncio.to_thread(content.read, place.files, copy.of, copy.parts, author)

    async def _author(self, folder_id: int, path: str) -> Maker | None:
        """Return the device that last changed a file, if it is known."""
        folder = self._folders.folder(folder_id)
        try:
            changed_by = await self._hub.made_by(folder.engine_folder_id, path)
        except AppError:
            return None
        return self._maker(KnownConflict(path, changed_by or ""))

    async def resolve_all(self, folder_id: int, given: ResolveAll) -> ResolvedAll:
        """Keep one side of every conflict of a folder; the other side becomes a version."""
        if given.keep == "device" and given.device_id not in self._revisions.current.devices:
            raise AppError(400, "invalid_request", field="deviceId")
        resolved = skipped = 0
        for conflict in await self.page(folder_id):
            keep = await self._side(folder_id, conflict, given)
            try:
                if keep is not None:
                    await self.resolve(folder_id, Resolve(conflict.copy_path, keep))
            except AppError:
                keep = None
            resolved, skipped = resolved + (keep is not None), skipped + (keep is None)
        return ResolvedAll(resolved, skipped)

    async def _side(self, folder_id: int, conflict: Conflict, given: ResolveAll) -> Keep | None:
        if given.keep == "device":
            if conflict.made_by is not None and conflict.made_by.device_id == given.device_id:
                return "copy"
            author = await self._author(folder_id, conflict.path)
            return "current" if author and author.device_id == given.device_id else None
        current, copy = (
            (conflict.modified_at, conflict.copy_modified_at)
            if given.keep == "newest"
            else (conflict.size, conflict.copy_size)
        )
        return "current" if current is not None and current >= copy else "copy"

    async def resolve(self, folder_id: int, given: Resolve) -> str:
        folder, place = self._folders.folder(folder_id), self._place(folder_id)
        copy = finder.copy_of(given.copy)
        async with self._lock:
            known = self._known.get(folder_id, {}).get(given.copy) or KnownConflict(given.copy)
            maker = self._maker(known)
            owner = maker.name if maker else ""
            kept = await asyncio.to_thread(resolve, place, copy, given.keep, owner)
            await self._take(folder, set(), [given.copy])
        path = "/".join(kept)
        log.info("folder %d: conflict of %s resolved: %s", folder_id, given.copy, given.keep)
        code = {"current": "kept_current", "copy": "kept_copy", "both": "kept_both"}[given.keep]
        self._activity.record(
            "resolved", code, folder_id=folder_id, folder=folder.label, path="/".join(copy.of)
        )
        await rescan(self._hub, folder.engine_folder_id, [given.copy, path])
        return path

    def _place(self, folder_id: int) -> FolderOnDisk:
        return FolderOnDisk(self._data, self._folders.folder(folder_id))


def _put(tx: Tx, folder_id: int, known: list[KnownConflict], gone: Iterable[str]) -> None:
    store.put(tx.conn, folder_id, known, gone)
    tx.emit(Signal(TOPIC))


def _shown(
    place: FolderOnDisk, known: Mapping[str, KnownConflict], makers: Mapping[str, Maker | None]
) -> list[Conflict]:
    found: list[Conflict] = []
    for path in sorted(known):
        with suppress(AppError):
            conflict = finder.shown_conflict(place, known[path], makers[path])
            if conflict is not None:
                found.append(conflict)
    return found
