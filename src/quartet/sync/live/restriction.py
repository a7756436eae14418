"""Leaves out of the live state what a person may not see; pure functions.

A view of None means everything.
"""

from collections.abc import Mapping
from typing import TypeVar

from msgspec.structs import replace

from quartet.sync.accounts.types import View
from quartet.sync.live.types import HubStatus, LiveStatus, Overview, Update

T = TypeVar("T")


def restricted_overview(overview: Overview, view: View | None) -> Overview:
    if view is None:
        return overview
    return replace(
        overview,
        devices=[each for each in overview.devices if each.id in view.devices],
        folders=[each for each in overview.folders if each.id in view.folders],
        shares=[each for each in overview.shares if each.device_id in view.devices],
        waiting=[],
        pending_devices=[],
    )


def restricted_update(update: Update, view: View | None) -> Update:
    if view is None:
        return update
    return replace(
        update,
        online=[each for each in update.online if each in view.devices],
        status=restricted_status(update.status, view),
        waiting=[],
        pending_devices=[],
        conflicts=_only(update.conflicts, view.folders),
    )


def restricted_status(status: LiveStatus, view: View | None) -> LiveStatus:
    if view is None:
        return status
    hub = {
        id: replace(each, completion=_only(each.completion, view.devices))
        for id, each in status.hub.folders.items()
        if id in view.folders
    }
    return LiveStatus(_only(status.devices, view.devices), HubStatus(hub))


def _only(values: Mapping[int, T], ids: frozenset[int]) -> dict[int, T]:
    return {id: value for id, value in values.items() if id in ids}
