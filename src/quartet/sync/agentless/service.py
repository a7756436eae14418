import logging
import re
import time
from collections.abc import Callable

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.sync.activity.service import Activity
from quartet.sync.activity.types import Kind
from quartet.sync.agentless.types import Invitation, NewAgentless
from quartet.sync.agents.reports import Reports
from quartet.sync.agents.types import Report
from quartet.sync.config.desired import MAIN
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.store import devices
from quartet.sync.config.types.devices import Device, NewDevice
from quartet.sync.config.types.revisions import ChangeSummary, Config
from quartet.sync.hub.service import Hubs
from quartet.sync.hub.types import Completion, HubReport, PendingDevice
from quartet.sync.names import clean_name
from quartet.sync.protocol import FolderStatus
from quartet.sync.protocol.engine_ids import GROUP, is_engine_id

log = logging.getLogger("quartet.sync.agentless")

# Every device that reaches the port of the hub can ask to join.
MOST_PENDING = 20


class Agentless:
    """Devices that run Syncthing without an agent; all that is known about them is what their hub
    sees.
    """

    def __init__(
        self, revisions: Revisions, hubs: Hubs, reports: Reports, activity: Activity, port: str
    ) -> None:
        """`port` is the port of the hub."""
        self._revisions = revisions
        self._hubs = hubs
        self._reports = reports
        self._activity = activity
        self._port = port
        # Ids of the connected devices at the last check.
        self._online: set[int] = set()
        self.on_change: Callable[[int], None] = lambda _device_id: None
        self.on_pending: Callable[[], None] = lambda: None
        hubs.on_peers = self._on_peers
        revisions.listeners.append(lambda _config: self._on_peers())

    def invitation(self, host: str) -> Invitation:
        """Return the hub for a device that reaches this server at `host`; start it if necessary."""
        hub = self._hubs.by_name[MAIN]
        hub.request_start()
        address = hub.address or f"{host}:{self._port}"
        return Invitation(hub.brief().engine_id, f"tcp://{address}")

    async def add(self, user: str, given: NewAgentless) -> int:
        engine_id, name = canonical(given.engine_id), clean_name(given.name)
        if not is_engine_id(engine_id):
            raise AppError(400, "engine_id_invalid")
        if not name:
            raise AppError(400, "invalid_request", field="name")
        if self._hubs.is_engine(engine_id):
            raise AppError(409, "engine_id_taken")
        device = NewDevice(
            name, "other", engine_id.encode(), engine_id, "", "", kind=given.kind, agentless=True
        )

        def work(tx: Tx, _before: Config) -> int:
            if devices.id_by_engine_id(tx.conn, engine_id) is not None:
                raise AppError(409, "engine_id_taken")
            return devices.add(tx.conn, device, int(time.time()))

        what = ChangeSummary("device_paired", {"device": name})
        device_id = await self._revisions.change(user, what, work)
        self._activity.record("paired", "added_without_agent", device_id=device_id, device=name)
        log.info("device %d added without an agent: %s", device_id, engine_id)
        return device_id

    async def dismiss(self, engine_id: str) -> None:
        if not is_engine_id(engine_id):
            raise AppError(400, "engine_id_invalid")
        await self._hubs.by_name[MAIN].dismiss(engine_id)
        log.info("pending device %s dismissed", engine_id)

    def pending(self) -> list[PendingDevice]:
        """Return unknown devices that have tried to connect to the main hub."""
        known = self._revisions.current.device_id_by_engine_id
        found = self._hubs.by_name[MAIN].brief().pending
        return [
            each
            for each in found
            if each.engine_id not in known and not self._hubs.is_engine(each.engine_id)
        ][:MOST_PENDING]

    def online(self) -> set[int]:
        known = self._revisions.current.device_id_by_engine_id
        return {
            known[engine_id]
            for hub in self._hubs.by_name.values()
            for engine_id in hub.brief().connected
            if engine_id in known
        }

    def report(self, device: Device) -> Report:
        """Return a report as an agent would send it."""
        stored, hub = self._reports.of(device.id), self._hub(device)
        online = device.engine_id in hub.connected
        return Report(
            engine_version=hub.connected.get(device.engine_id, ""),
            last_seen=int(time.time()) if online else stored.last_seen,
            applied_rev=hub.applied_revision,
            folders=_folders(device, hub) if online else {},
        )

    def _hub(self, device: Device) -> HubReport:
        hub = self._hubs.by_name.get(device.hub) or self._hubs.by_name[MAIN]
        return hub.state()

    def _on_peers(self) -> None:
        online, config = self.online(), self._revisions.current
        changed, before = online ^ self._online, self._online
        self._online = online
        for device_id in changed & config.devices.keys():
            name, lost = config.devices[device_id].name, device_id in before
            log.info("device %d %s", device_id, "offline" if lost else "online")
            self._reports.touch(device_id)
            code: Kind = "disconnected" if lost else "connected"
            self._activity.record(code, code, device_id=device_id, device=name)
            self.on_change(device_id)
        self.on_pending()


def _folders(device: Device, hub: HubReport) -> dict[str, FolderStatus]:
    """Derive the folder states from what the hub knows about the device.

    A folder is missing until the device has accepted it.
    """
    found = {
        folder: completion[device.engine_id]
        for folder, completion in hub.completion.items()
        if device.engine_id in completion
    }
    return {folder: _status(each) for folder, each in found.items() if each.known}


def _status(completion: Completion) -> FolderStatus:
    return FolderStatus(
        state="syncing" if completion.need_items else "idle",
        need_files=completion.need_items,
        need_bytes=completion.need_bytes,
    )


def canonical(text: str) -> str:
    """Return the spelling with dashes; users also paste ids with spaces or in lower case."""
    letters = re.sub(r"[\s-]", "", text).upper()
    return "-".join(letters[at : at + GROUP] for at in range(0, len(letters), GROUP))
