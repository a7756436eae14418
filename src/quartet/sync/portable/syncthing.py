"""Reads `config.xml` of a Syncthing without an agent; pure functions."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import msgspec

from quartet.kernel.errors import AppError
from quartet.sync.names import clean_name
from quartet.sync.portable.types import Portable, PortableDevice, PortableFolder, PortableShare
from quartet.sync.protocol.engine_ids import is_engine_id

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LARGEST_FILE = 4 << 20


def add_syncthing_config(
    config: Portable, content: bytes, is_hub: Callable[[str], bool]
) -> Portable:
    """Return the configuration with the folders, devices and shares of the file added to it.

    The devices keep their Syncthing, so they are added as devices without an agent. A share with a
    password is left out, because its device must never get the files unencrypted.
    """
    from quartet.kernel.xml_documents import parse_xml

    root = parse_xml(content, tag="configuration", limit=LARGEST_FILE)
    if root is None:
        raise AppError(422, "import_not_syncthing")
    folders = {each.engine_folder_id: each for each in config.folders}
    devices = {each.engine_id: each for each in config.devices}
    shares = {(each.engine_folder_id, each.engine_id): each for each in config.shares}
    for folder in _folders(root):
        folders.setdefault(folder.engine_folder_id, folder)
    for device in _devices(root):
        if not is_hub(device.engine_id):
            devices.setdefault(device.engine_id, device)
    for share in _shares(root):
        if share.engine_id in devices:
            shares.setdefault((share.engine_folder_id, share.engine_id), share)
    return msgspec.structs.replace(
        config,
        folders=list(folders.values()),
        devices=list(devices.values()),
        shares=list(shares.values()),
    )


def _folders(root: "Element") -> Iterator[PortableFolder]:
    for folder in root.findall("folder"):
        id = folder.get("id", "")
        yield PortableFolder(id, clean_name(folder.get("label") or id, "folder"))


def _devices(root: "Element") -> Iterator[PortableDevice]:
    for device in root.findall("device"):
        id = device.get("id", "")
        if is_engine_id(id):
            name = clean_name(device.get("name") or id[:7], "device")
            yield PortableDevice(id.encode(), id, name, "other", agentless=True)


def _shares(root: "Element") -> Iterator[PortableShare]:
    for folder in root.findall("folder"):
        for device in folder.findall("device"):
            if not device.findtext("encryptionPassword"):
                yield PortableShare(folder.get("id", ""), device.get("id", ""), "both", "")
