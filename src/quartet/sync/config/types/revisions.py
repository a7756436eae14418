from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec

from quartet.kernel.errors import AppError
from quartet.sync.config.types.devices import Device
from quartet.sync.config.types.folders import Folder
from quartet.sync.config.types.shares import Share

DEFAULT_TEMPLATE = "~/Sync/{folder}"


@dataclass(frozen=True)
class Config:
    """The whole configuration of one revision."""

    revision: int
    devices: Mapping[int, Device] = field(default_factory=dict)
    folders: Mapping[int, Folder] = field(default_factory=dict)
    shares: tuple[Share, ...] = ()
    # Encryption passwords by folder and device.
    passwords: Mapping[tuple[int, int], str] = field(default_factory=dict, repr=False)
    # Where new shares are stored on devices without a template of their own.
    path_template: str = DEFAULT_TEMPLATE

    @cached_property
    def by_key(self) -> dict[bytes, Device]:
        return {device.public_key: device for device in self.devices.values()}

    @cached_property
    def shares_of(self) -> dict[int, list[Share]]:
        """Shares by device id."""
        found: dict[int, list[Share]] = {}
        for share in self.shares:
            found.setdefault(share.device_id, []).append(share)
        return found

    @cached_property
    def agentless(self) -> list[int]:
        """The ids of devices without an agent."""
        return [device.id for device in self.devices.values() if device.agentless]

    def share(self, folder_id: int, device_id: int) -> Share:
        if folder_id not in self.folders:
            raise AppError(404, "folder_not_found", id=folder_id)
        if device_id not in self.devices:
            raise AppError(404, "device_not_found", id=device_id)
        mine = self.shares_of.get(device_id, [])
        found = next((each for each in mine if each.folder_id == folder_id), None)
        if found is None:
            label, name = self.folders[folder_id].label, self.devices[device_id].name
            raise AppError(404, "share_not_found", folder=label, device=name)
        return found

    def engine_folders(self, device_id: int) -> set[str]:
        """Return the engine folder ids of a device's folders."""
        mine = self.shares_of.get(device_id, [])
        return {self.folders[share.folder_id].engine_folder_id for share in mine}

    @cached_property
    def folder_id_by_engine_id(self) -> dict[str, int]:
        """Map engine folder ids to folder ids."""
        return {folder.engine_folder_id: folder.id for folder in self.folders.values()}

    @cached_property
    def device_id_by_engine_id(self) -> dict[str, int]:
        """Map engine ids to device ids."""
        return {device.engine_id: device.id for device in self.devices.values()}


class Snapshot(msgspec.Struct, frozen=True):
    """A configuration as stored in the history."""

    devices: list[Device]
    folders: list[Folder]
    shares: list[Share]


class ChangeSummary(msgspec.Struct, frozen=True):
    """Describes a change: a code with its inputs, as in the activity feed."""

    code: str
    inputs: dict[str, Any] = {}


class Revision(msgspec.Struct, frozen=True):
    revision: int
    at: int
    who: str
    code: str
    inputs: dict[str, Any]
