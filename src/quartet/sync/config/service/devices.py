from collections.abc import Iterable
from typing import Any, Protocol

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.store import devices, revisions
from quartet.sync.config.templates import check_template
from quartet.sync.config.types.devices import Device, DeviceChange
from quartet.sync.config.types.revisions import ChangeSummary, Config
from quartet.sync.names import clean_name


class HubRegistry(Protocol):
    """The hubs a device can be assigned to."""

    async def all_exist(self, names: Iterable[str]) -> bool:
        """Return True if hubs with all these names exist."""

    def exists(self, tx: Tx, name: str) -> bool:
        """Return True if the hub exists; it cannot be removed before the transaction ends."""


class Devices:
    """Changes devices; agents receive each change with the new revision."""

    def __init__(self, revisions: Revisions, hubs: HubRegistry) -> None:
        self._revisions = revisions
        self._hubs = hubs

    def _device(self, device_id: int) -> Device:
        device = self._revisions.current.devices.get(device_id)
        if device is None:
            raise AppError(404, "device_not_found", id=device_id)
        return device

    async def change(self, user: str, device_id: int, given: DeviceChange) -> None:
        device = self._device(device_id)
        values = _values(given)
        if not values:
            return
        if values.get("path_template"):
            check_template(values["path_template"], device.os)
        hub = given.hub if given.hub is not None else device.hub
        if hub != device.hub and not await self._hubs.all_exist([hub]):
            raise AppError(400, "unknown_hub", hub=hub)

        def work(tx: Tx, _before: Config) -> None:
            if hub != device.hub and not self._hubs.exists(tx, hub):
                raise AppError(400, "unknown_hub", hub=hub)
            if not devices.change(tx.conn, device_id, values):
                raise AppError(404, "device_not_found", id=device_id)

        await self._revisions.change(
            user, ChangeSummary(_code(given), {"device": device.name}), work
        )

    async def set_path_template(self, user: str, template: str) -> None:
        """Set where new shares are stored; an empty template restores the default."""
        template = template.strip()
        if template and not template.startswith("~/"):
            # Devices with different operating systems have only this in common.
            raise AppError(422, "path_template_invalid", template=template)
        if template:
            check_template(template, "linux")
            check_template(template, "windows")

        def work(tx: Tx, _before: Config) -> None:
            revisions.set_path_template(tx.conn, template)

        await self._revisions.change(user, ChangeSummary("path_template_changed"), work)

    async def remove(self, user: str, device_id: int) -> None:
        device = self._device(device_id)

        def work(tx: Tx, _before: Config) -> None:
            if not devices.remove(tx.conn, device_id):
                raise AppError(404, "device_not_found", id=device_id)

        await self._revisions.change(
            user, ChangeSummary("device_removed", {"device": device.name}), work
        )


def _values(given: DeviceChange) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if given.name is not None:
        values["name"] = clean_name(given.name)
        if not values["name"]:
            raise AppError(400, "invalid_request", field="name")
    if given.kind is not None:
        values["kind"] = given.kind
    if given.blocked is not None:
        values["approved"] = not given.blocked
    if given.traffic is not None:
        values["traffic"] = given.traffic
    if given.hub is not None:
        values["hub"] = given.hub
    if given.path_template is not None:
        values["path_template"] = given.path_template.strip()
    return values


def _code(given: DeviceChange) -> str:
    if given.blocked is None:
        return "device_changed"
    return "device_blocked" if given.blocked else "device_unblocked"
