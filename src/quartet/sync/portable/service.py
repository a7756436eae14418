import asyncio
import time
from collections.abc import Set
from pathlib import Path

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.sync.config.desired import MAIN
from quartet.sync.config.drafts import apply_changes
from quartet.sync.config.patterns import check_total_size, clean_patterns
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.store import devices, folders, shares
from quartet.sync.config.templates import check_template
from quartet.sync.config.types.devices import NewDevice
from quartet.sync.config.types.revisions import ChangeSummary, Config
from quartet.sync.config.types.shares import ShareChange
from quartet.sync.hub.service import Hubs
from quartet.sync.names import clean_name
from quartet.sync.portable.checks import check
from quartet.sync.portable.syncthing import add_syncthing_config
from quartet.sync.portable.types import (
    FORMAT,
    Portable,
    PortableDevice,
    PortableFolder,
    PortableShare,
)

# Maps the identifiers in the file to this server's ids.
Numbers = dict[str, int]


class Transfer:
    """Exports and imports the configuration; `data` is the server's own folder, which shares must
    not use.
    """

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
                    each.agentless,
                    each.path_template,
                )
                for each in config.devices.values()
            ],
            shares=[
                PortableShare(
                    config.folders[each.folder_id].engine_folder_id,
                    config.devices[each.device_id].engine_id,
                    each.mode,
                    each.path,
                    each.ignore_patterns,
                )
                for each in config.shares
            ],
        )

    async def with_syncthing(self, content: bytes) -> Portable:
        """Return the configuration with that of a Syncthing added to it; nothing is changed."""
        return await asyncio.to_thread(
            add_syncthing_config, self.export(), content, self._hubs.is_engine
        )

    async def import_file(self, user: str, given: Portable) -> int:
        """Replace folders and shares with those of the file; devices missing there are kept."""
        wanted = {each.hub for each in given.devices}
        await self._hubs.all_exist(wanted)
        known = wanted & self._hubs.names()

        def work(tx: Tx, before: Config) -> int:
            check(given, before)
            hubs = {name for name in known if self._hubs.exists(tx, name)}
            folder_id_by_engine_id = _put_folders(tx, before, given)
            device_id_by_engine_id = _put_devices(tx, before, given, hubs)
            self._put_shares(tx, before, given, folder_id_by_engine_id, device_id_by_engine_id)
            return before.revision + 1

        what = ChangeSummary("config_imported", {"folders": len(given.folders)})
        return await self._revisions.change(user, what, work)

    def _put_shares(
        self, tx: Tx, before: Config, given: Portable, folder_ids: Numbers, device_ids: Numbers
    ) -> None:
        passwords = shares.load_passwords(tx.conn)
        changes = [
            ShareChange(
                folder_ids[each.engine_folder_id],
                device_ids[each.engine_id],
                each.mode,
                each.path,
                ignore_patterns=each.ignore_patterns,
            )
            for each in given.shares
            # The file contains no passwords.
            if each.mode != "encrypted"
            or (folder_ids[each.engine_folder_id], device_ids[each.engine_id]) in passwords
        ]
        pairs = {(each.folder_id, each.device_id) for each in changes}
        now = Config(
            before.revision,
            devices.load_all(tx.conn),
            folders.load_all(tx.conn),
            # Held shares stay held.
            tuple(each for each in before.shares if (each.folder_id, each.device_id) in pairs),
            passwords,
        )
        after, bad = apply_changes(now, changes, self._data)
        if bad:
            raise AppError(
                422,
                "import_share_invalid",
                folder=now.folders[bad[0].folder_id].label,
                device=now.devices[bad[0].device_id].name,
                reason=bad[0].code,
            )
        check_total_size(now.folders.values(), after.values())
        shares.remove_all(tx.conn)
        shares.add(tx.conn, after.values())


def _put_folders(tx: Tx, before: Config, given: Portable) -> Numbers:
    kept = {each.engine_folder_id for each in given.folders}
    for engine_folder_id, folder_id in before.folder_id_by_engine_id.items():
        if engine_folder_id not in kept:
            folders.remove(tx.conn, folder_id)
    numbers: Numbers = {}
    for each in given.folders:
        values = {
            "label": clean_name(each.label),
            "ignore_patterns": clean_patterns(each.ignore_patterns),
            "versioning": each.versioning,
        }
        known = before.folder_id_by_engine_id.get(each.engine_folder_id)
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
    return numbers


def _put_devices(tx: Tx, before: Config, given: Portable, hubs: Set[str]) -> Numbers:
    numbers: Numbers = {}
    for each in given.devices:
        known = before.by_key.get(each.public_key)
        name = clean_name(each.name, "device")
        if known is None:
            new = NewDevice(
                name, each.os, each.public_key, each.engine_id, "", "", agentless=each.agentless
            )
            device_id = devices.add(tx.conn, new, int(time.time()))
        else:
            device_id = known.id
        # An import must not unblock a device.
        approved = not each.blocked and (known is None or known.approved)
        values = {
            "name": name,
            "kind": each.kind,
            "approved": approved,
            "traffic": each.traffic,
            "hub": each.hub if each.hub in hubs else MAIN,
            "path_template": _template(each),
        }
        devices.change(tx.conn, device_id, values)
        numbers[each.engine_id] = device_id
    return numbers


def _template(device: PortableDevice) -> str:
    if device.path_template:
        check_template(device.path_template, device.os)
    return device.path_template
