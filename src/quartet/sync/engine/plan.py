"""Computes the steps from an engine's current configuration to the wanted one; pure functions.

Only the fields that Quartet manages are compared and set: Syncthing versions differ in the others,
and manual tuning is preserved.
"""

import os
from dataclasses import dataclass, field
from typing import Any

from quartet.kernel.errors import Problem
from quartet.sync.engine.types import EngineConfig, EngineFolder, EnginePeer

Json = dict[str, Any]

DAY = 24 * 3600
# Version 2 waits for a second by default before it downloads a change.
PULLER_DELAY_SECONDS = 0.1
NEWER_FIELDS = ("pullerDelayS",)
ENCRYPTED = "receiveencrypted"
# Managed parameters of each type of versioning.
PARAMETERS = {"": (), "external": ("command",), "staggered": ("maxAge",)}


@dataclass(frozen=True)
class Plan:
    """Managed fields of the devices and folders to set, and the ids of those to remove."""

    devices: list[Json] = field(default_factory=list)
    folders: list[Json] = field(default_factory=list)
    gone_devices: list[str] = field(default_factory=list)
    gone_folders: list[str] = field(default_factory=list)
    # Folders that are new to the engine or have another path.
    new_folders: frozenset[str] = frozenset()
    problems: dict[str, Problem] = field(default_factory=dict)

    @property
    def steps(self) -> int:
        things = (self.devices, self.folders, self.gone_devices, self.gone_folders)
        return sum(len(thing) for thing in things)


def make_plan(current: Json, wanted: EngineConfig, own_id: str) -> Plan:
    devices = {device["deviceID"]: device for device in current["devices"]}
    folders = {folder["id"]: folder for folder in current["folders"]}
    possible = [each for each in wanted.folders if not _cannot_become(folders.get(each.id), each)]
    moved = {each.id for each in possible if _moved(folders.get(each.id), each)}
    kept = {each.id for each in wanted.folders} - moved
    peers = {peer.engine_id for peer in wanted.peers}
    set_devices = [_device(peer, wanted) for peer in wanted.peers]
    set_folders = [_folder(each, peers) for each in possible]
    return Plan(
        devices=[each for each in set_devices if _differs(devices.get(each["deviceID"]), each)],
        folders=[
            each
            for each in set_folders
            if each["id"] in moved or _differs(_comparable(folders.get(each["id"]), own_id), each)
        ],
        gone_devices=sorted(devices.keys() - peers - {own_id}),
        gone_folders=sorted(folders.keys() - kept),
        new_folders=frozenset(each.id for each in possible if each.id not in folders) | moved,
        problems={
            each.id: Problem("encryption_fixed") for each in wanted.folders if each not in possible
        },
    )


def full_config(current: Json, plan: Plan) -> Json:
    """Return the complete configuration after the plan."""
    bases = current["defaults"]
    devices = _merged(current["devices"], plan.devices, "deviceID", bases["device"])
    folders = _merged(current["folders"], plan.folders, "id", bases["folder"])
    gone = set(plan.gone_folders) - plan.new_folders
    return {
        **current,
        "devices": [each for each in devices if each["deviceID"] not in plan.gone_devices],
        "folders": [each for each in folders if each["id"] not in gone],
    }


def _merged(old: list[Json], new: list[Json], key: str, base: Json) -> list[Json]:
    things = {thing[key]: thing for thing in old}
    for owned in new:
        things[owned[key]] = {**things.get(owned[key], base), **owned}
    return list(things.values())


def _cannot_become(current: Json | None, wanted: EngineFolder) -> bool:
    """Return True if the folder would have to change its encryption, which the engine refuses."""
    return current is not None and (current["type"] == ENCRYPTED) != (wanted.type == ENCRYPTED)


def _moved(current: Json | None, wanted: EngineFolder) -> bool:
    """Return True if the path changed; such a folder must be removed and added again.

    Otherwise the engine would miss its marker file at the new path.
    """
    return current is not None and current["path"] != os.path.normpath(wanted.path)


def _device(peer: EnginePeer, config: EngineConfig) -> Json:
    theirs = [each for each in config.folders if peer.engine_id in each.peers]
    rates = {"maxSendKbps": peer.send_kib, "maxRecvKbps": peer.receive_kib}
    return {
        "deviceID": peer.engine_id,
        "name": peer.name,
        "addresses": list(peer.addresses),
        "paused": peer.paused,
        **{name: rate for name, rate in rates.items() if rate is not None},
        "introducer": False,
        "autoAcceptFolders": False,
        # Makes the engine refuse unencrypted folders with this peer.
        "untrusted": bool(theirs) and all(each.password_for(peer.engine_id) for each in theirs),
    }


def _folder(folder: EngineFolder, peers: set[str]) -> Json:
    sensitive = folder.case_sensitive
    return {
        "id": folder.id,
        "label": folder.label,
        "path": os.path.normpath(folder.path),
        "type": folder.type,
        "devices": [
            {"deviceID": peer, "encryptionPassword": folder.password_for(peer)}
            for peer in sorted(peers.intersection(folder.peers))
        ],
        "versioning": _versioning(folder),
        "paused": folder.paused,
        # Keep all conflict copies; the engine would delete older ones without a trace.
        "maxConflicts": -1,
        "fsWatcherEnabled": True,
        "fsWatcherDelayS": 1,
        "pullerDelayS": PULLER_DELAY_SECONDS,
        **({} if sensitive is None else {"caseSensitiveFS": sensitive}),
    }


def _versioning(folder: EngineFolder) -> Json:
    if folder.archive_command:
        return {"type": "external", "params": {"command": folder.archive_command}}
    if folder.versioning:
        max_age = str(folder.versioning.max_age_days * DAY)
        return {"type": folder.versioning.type, "params": {"maxAge": max_age}}
    return {"type": "", "params": {}}


def _comparable(current: Json | None, own_id: str) -> Json | None:
    """Reduce the engine's folder configuration to the managed fields."""
    if current is None:
        return None
    devices = [
        {"deviceID": each["deviceID"], "encryptionPassword": each["encryptionPassword"]}
        for each in current["devices"]
        if each["deviceID"] != own_id
    ]
    return {
        **current,
        "devices": sorted(devices, key=lambda each: str(each["deviceID"])),
        "versioning": _comparable_versioning(current["versioning"]),
    }


def _comparable_versioning(current: Json) -> Json:
    """Leave out parameters of earlier types, which the engine keeps and does not use."""
    used = PARAMETERS.get(current["type"])
    params = current["params"] or {}
    return {
        "type": current["type"],
        "params": {name: params[name] for name in params if used is None or name in used},
    }


def _differs(current: Json | None, owned: Json) -> bool:
    return current is None or any(
        current.get(name) != value
        for name, value in owned.items()
        # Older versions neither have nor need these fields.
        if name in current or name not in NEWER_FIELDS
    )
