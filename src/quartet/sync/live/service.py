import asyncio
from collections.abc import Iterable
from typing import Any

import msgspec

from quartet.kernel import events
from quartet.kernel.conditions import Conditions
from quartet.kernel.errors import Problem
from quartet.sync.accounts.types import View
from quartet.sync.agentless.service import Agentless
from quartet.sync.agents.pairing.waiting import WaitingList
from quartet.sync.agents.reports import Reports
from quartet.sync.agents.service import Agents
from quartet.sync.agents.types import Report
from quartet.sync.config.desired import MAIN
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.devices import Device
from quartet.sync.config.types.folders import shown_folder
from quartet.sync.config.types.revisions import Config
from quartet.sync.hub.service import Hubs
from quartet.sync.hubfiles.conflicts.service import Conflicts
from quartet.sync.live.encoded_devices import EncodedDevices
from quartet.sync.live.restriction import restricted_overview
from quartet.sync.live.types import DeviceStatus, LiveStatus, Overview, ShownDevice, Update
from quartet.sync.live.views import (
    folder_statuses,
    hub_status,
    shown_device,
    shown_hub,
)


class Live:
    """The current state for all browsers, served from memory without database queries."""

    def __init__(
        self,
        streams: events.EventHub,
        revisions: Revisions,
        agents: Agents,
        reports: Reports,
        waiting: WaitingList,
        hubs: Hubs,
        conflicts: Conflicts,
        conditions: Conditions,
        agentless: Agentless,
    ) -> None:
        self._streams = streams
        self._revisions = revisions
        self._agents = agents
        self._reports = reports
        self._waiting = waiting
        self._hub = hubs.by_name[MAIN]
        self._hubs = hubs
        self._conflicts = conflicts
        self._conditions = conditions
        self._agentless = agentless
        self._encoded_devices = EncodedDevices(self._device)
        self._encoded_shares = msgspec.Raw()
        self._devices: set[int] = set()
        self._folders: set[str] = set()
        self.changed = asyncio.Event()
        revisions.listeners.append(self._on_revision)
        agents.on_change = reports.on_change = self.touch_device
        reports.on_seen = self._encoded_devices.touch
        hubs.on_folder = self.touch_folder
        waiting.on_change = conflicts.on_change = self.touch
        agentless.on_change, agentless.on_pending = self.touch_device, self.touch
        self._encode(revisions.current)

    def touch(self) -> None:
        """Announce a change; browsers receive it within 300 ms."""
        self.changed.set()

    def _on_revision(self, config: Config) -> None:
        self._encode(config)
        self.touch()

    def _encode(self, config: Config) -> None:
        self._encoded_devices.reset(config)
        self._encoded_shares = msgspec.Raw(msgspec.json.encode(config.shares))

    def touch_device(self, device_id: int) -> None:
        self._agents.publish(device_id)
        self._encoded_devices.touch(device_id)
        self._devices.add(device_id)
        self.changed.set()

    def touch_folder(self, engine_folder_id: str) -> None:
        """Announce a status change of a folder on a hub."""
        self._folders.add(engine_folder_id)
        config = self._revisions.current
        folder_id = config.folder_id_by_engine_id.get(engine_folder_id)
        # The hub's figures are all that is known about devices without an agent.
        self._devices.update(
            share.device_id
            for device_id in config.agentless
            for share in config.shares_of.get(device_id, [])
            if share.folder_id == folder_id
        )
        self.changed.set()

    def overview(self, view: View | None = None) -> Overview:
        """Return what a person may see; None means everything."""
        config = self._revisions.current
        devices = [
            self._device(device)
            for device in config.devices.values()
            if view is None or device.id in view.devices
        ]
        return restricted_overview(self._overview(devices, list(config.shares)), view)

    async def encoded_overview(self) -> bytes:
        """Return everything as JSON."""
        devices = msgspec.Raw(await self._encoded_devices.json())
        return msgspec.json.encode(self._overview(devices, self._encoded_shares))

    def _overview(self, devices: Any, shares: Any) -> Overview:
        config = self._revisions.current
        return Overview(
            revision=config.revision,
            hub=shown_hub(self._hub.state(), self._hub.address),
            devices=devices,
            folders=[
                shown_folder(folder, self._conflicts.count(folder.id))
                for folder in config.folders.values()
            ],
            shares=shares,
            waiting=self._waiting.shown(),
            problems=self._problems(),
            pending_devices=self._agentless.pending(),
            path_template=config.path_template,
        )

    def _problems(self) -> list[Problem]:
        return [each.problem for each in self._conditions.current if each.kind == "disk"]

    def _device(self, device: Device) -> ShownDevice:
        online = self._is_online(device)
        return shown_device(self._revisions.current, device, self._report(device), online=online)

    def offline_since(self, device: Device) -> int | None:
        """Return when a device was seen last; None if it is online."""
        return None if self._is_online(device) else self._report(device).last_seen

    def _report(self, device: Device) -> Report:
        return self._agentless.report(device) if device.agentless else self._reports.of(device.id)

    def _is_online(self, device: Device) -> bool:
        if device.agentless:
            return device.approved and device.id in self._agentless.online()
        return self._agents.is_online(device.id)

    def status(self) -> LiveStatus:
        config = self._revisions.current
        return self._status(config.devices, config.folder_id_by_engine_id)

    def _status(self, device_ids: Iterable[int], folders: Iterable[str]) -> LiveStatus:
        config = self._revisions.current
        devices = {
            id: self._device_status(device)
            for id in device_ids
            if (device := config.devices.get(id))
        }
        reports = [self._hub.state(), *self._hubs.additional()]
        return LiveStatus(devices, hub_status(config, reports, folders))

    def _device_status(self, device: Device) -> DeviceStatus:
        report = self._report(device)
        folders = folder_statuses(self._revisions.current, report)
        return DeviceStatus(self._is_online(device), folders, report.tunnel)

    def whole(self) -> Update:
        return self._update(self.status())

    def _update(self, status: LiveStatus) -> Update:
        return Update(
            revision=self._revisions.current.revision,
            online=sorted({*self._agents.online(), *self._agentless.online()}),
            status=status,
            hub=shown_hub(self._hub.state(), self._hub.address),
            waiting=self._waiting.shown(),
            conflicts={
                id: count
                for id in self._revisions.current.folders
                if (count := self._conflicts.count(id))
            },
            problems=self._problems(),
            pending_devices=self._agentless.pending(),
        )

    def publish(self) -> None:
        """Publish changes, encoded once for all browsers; skip it if no browser is connected."""
        self.changed.clear()
        devices, self._devices = self._devices, set()
        folders, self._folders = self._folders, set()
        if self._streams.streams:
            self._streams.publish_locally(self._update(self._status(devices, folders)))
