import time
from collections.abc import Set
from pathlib import Path

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.sync.config.desired import MAIN
from quartet.sync.config.drafts import applied
from quartet.sync.config.patterns import check_together, cleaned
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.store import devices, folders, shares
from quartet.sync.config.types.devices import NewDevice
from quartet.sync.config.types.revisions import Config, What
from quartet.sync.config.types.shares import ShareChange
from quartet.sync.hub.service import Hubs
from quartet.sync.names import plain
from quartet.sync.portable.checks import check
from quartet.sync.portable.types import (
    FORMAT,
    Portable,
    PortableDevice,
    PortableFolder,
    PortableShare,
)

# The file's names to this server's numbers.
Numbers = dict[str, int]


class Transfer:
    """`data` is the server's own folder, in which no device may put one of its own."""

    def __init__(self, revisions: Revisions, hubs: Hubs, data: Path) -> None:
        self._revisions = revisions
        self._hubs = hubs
        self._data = data.absolute()

    def export(self) -> Portable:
        config = self._revisions.current
        return Portable(
            format=FORMAT,
            exported_at=int(time.time()),
            revision=config.revision,
            folders=[
                PortableFolder(
                    each.engine_folder_id,
                    each.label,
                    each.ignore_patterns,
                    each.versioning,
                    each.encrypted_on_hub,
                )
                for each in config.folders.values()
            ],
            devices=[
                PortableDevice(
                    each.public_key,
                    each.engine_id,
                    each.name,
                    each.os,
                    each.kind,
                    not each.approved,
                    each.traffic,
                    each.hub,
                )
                for each in config.devices.values()
            ],
            shares=[
                PortableShare(
                    config.folders[each.folder_id].engine_folder_id,
                    config.devices[each.device_id].engine_id,
                    each.mode,
                    each.path,
                )
                for each in config.shares
            ],
        )

    async def take(self, who: str, given: Portable) -> int:
        """Folders and shares become those of the file; devices that are not in it stay."""
        wanted = {each.hub for each in given.devices}
        await self._hubs.know(wanted)
        known = wanted & self._hubs.names()

        def work(tx: Tx, before: Config) -> int:
            check(given, before)
            hubs = {name for name in known if self._hubs.is_there(tx, name)}
            folder_numbers = _put_folders(tx, before, given)
            device_numbers = _put_devices(tx, before, given, hubs)
            self._put_shares(tx, before, given, folder_numbers, device_numbers)
            return before.revision + 1

        what = What("config_imported", {"folders": len(given.folders)})
        return await self._revisions.change(who, what, work)

    def _put_shares(
        self, tx: Tx, before: Config, given: Portable, folder_ids: Numbers, device_ids: Numbers
    ) -> None:
        changes = [
            ShareChange(
                folder_ids[each.engine_folder_id], device_ids[each.engine_id], each.mode, each.path
            )
            for each in given.shares
        ]
        pairs = {(each.folder_id, each.device_id) for each in changes}
        now = Config(
            before.revision,
            devices.every(tx.conn),
            folders.every(tx.conn),
            # What is held stays held.
            tuple(each for each in before.shares if (each.folder_id, each.device_id) in pairs),
        )
        after, bad = applied(now, changes, self._data)
        if bad:
            raise AppError(
                422,
                "import_share_invalid",
                folder=now.folders[bad[0].folder_id].label,
                device=now.devices[bad[0].device_id].name,
                reason=bad[0].code,
            )
        shares.remove_all(tx.conn)
        shares.add(tx.conn, after.values())


def _put_folders(tx: Tx, before: Config, given: Portable) -> Numbers:
    kept = {each.engine_folder_id for each in given.folders}
    for engine_folder_id, folder_id in before.folder_numbers.items():
        if engine_folder_id not in kept:
            folders.remove(tx.conn, folder_id)
    numbers: Numbers = {}
    for each in given.folders:
        values = {
            "label": plain(each.label),
            "ignore_patterns": cleaned(each.ignore_patterns),
            "versioning": each.versioning,
        }
        known = before.folder_numbers.get(each.engine_folder_id)
        if known is not None:
            folders.change(tx.conn, known, values)
        else:
            values |= {
                "syncthing_folder_id": each.engine_folder_id,
                "encrypted_on_hub": each.encrypted_on_hub,
                "created_at": int(time.time()),
            }
            known = folders.add(tx.conn, values)
        numbers[each.engine_folder_id] = known
    check_together(folders.every(tx.conn).values())
    return numbers


def _put_devices(tx: Tx, before: Config, given: Portable, hubs: Set[str]) -> Numbers:
    numbers: Numbers = {}
    for each in given.devices:
        known = before.by_key.get(each.public_key)
        name = plain(each.name, "device")
        if known is None:
            new = NewDevice(name, each.os, each.public_key, each.engine_id, "", "")
            device_id = devices.add(tx.conn, new, int(time.time()))
        else:
            device_id = known.id
        # Whoever is blocked here stays blocked: a file lets nobody in again.
        approved = not each.blocked and (known is None or known.approved)
        values = {
            "name": name,
            "kind": each.kind,
            "approved": approved,
            "traffic": each.traffic,
            "hub": each.hub if each.hub in hubs else MAIN,
        }
        devices.change(tx.conn, device_id, values)
        numbers[each.engine_id] = device_id
    return numbers
