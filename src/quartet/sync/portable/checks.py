"""Validates an import file before anything is changed; pure functions."""

import re
from collections.abc import Iterable

from quartet.kernel.errors import AppError
from quartet.sync.config.types.revisions import Config
from quartet.sync.names import clean_name
from quartet.sync.portable.types import Portable, PortableDevice
from quartet.sync.protocol.engine_ids import is_engine_id
from quartet.sync.protocol.signing import usable_key

_FOLDER_ID = re.compile("[a-z0-9-]{1,64}")


def check(given: Portable, config: Config) -> None:
    for device in given.devices:
        if not _has_usable_key(device) or not is_engine_id(device.engine_id):
            raise AppError(422, "import_device_invalid", device=clean_name(device.name))
    for folder in given.folders:
        if not _FOLDER_ID.fullmatch(folder.engine_folder_id) or not clean_name(folder.label):
            raise AppError(422, "import_folder_invalid", folder=clean_name(folder.label))
    _check_twice(each.public_key.hex() for each in given.devices)
    _check_twice(each.engine_id for each in given.devices)
    _check_twice(each.engine_folder_id for each in given.folders)
    _check_twice(f"{each.engine_folder_id} {each.engine_id}" for each in given.shares)
    _check_shares(given)
    _check_against(given, config)


def _has_usable_key(device: PortableDevice) -> bool:
    if device.agentless:
        return device.public_key == device.engine_id.encode()
    return usable_key(device.public_key)


def _check_twice(values: Iterable[str]) -> None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise AppError(422, "import_twice", value=value)
        seen.add(value)


def _check_shares(given: Portable) -> None:
    folders = {each.engine_folder_id for each in given.folders}
    devices = {each.engine_id for each in given.devices}
    for share in given.shares:
        for value, known in ((share.engine_folder_id, folders), (share.engine_id, devices)):
            if value not in known:
                raise AppError(422, "import_unknown", value=value)


def _check_against(given: Portable, config: Config) -> None:
    """Reject changes of encryption, which the engine cannot make, and engines of other devices."""
    for folder in given.folders:
        known = config.folders.get(config.folder_id_by_engine_id.get(folder.engine_folder_id, 0))
        if known is not None and known.encrypted_on_hub != folder.encrypted_on_hub:
            raise AppError(422, "import_encryption_differs", folder=known.label)
    for device in given.devices:
        holder = config.devices.get(config.device_id_by_engine_id.get(device.engine_id, 0))
        if holder is not None and holder.public_key != device.public_key:
            raise AppError(422, "import_device_invalid", device=clean_name(device.name))
