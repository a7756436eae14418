"""Reports of devices: kept in memory and written in batches, not for every heartbeat."""

import logging
import time
from collections.abc import Callable

from quartet.kernel.batches import in_batches
from quartet.kernel.db import Database, Tx
from quartet.sync.agents.types import DeviceRow, Report
from quartet.sync.config.store import devices
from quartet.sync.config.types.devices import StoredReport
from quartet.sync.config.types.revisions import Config
from quartet.sync.names import clean_name
from quartet.sync.protocol import Applied, Hello, Status

log = logging.getLogger("quartet.sync.agents")

# Smaller differences are harmless, and may be due to a slow connection.
WRONG_CLOCK_SECONDS = 60
# With more devices, only errors are logged for each of them: thousands of lines for each revision
# would delay it.
LOGGED_DEVICES = 500
# Batch size; other writers must not wait while thousands of devices reconnect.
BATCH = 250


class Reports:
    def __init__(self, db: Database) -> None:
        self._db = db
        found = db.write_sync(lambda tx: devices.load_reports(tx.conn))
        self._reports = {id: _report(seen) for id, seen in found.items()}
        self._unwritten: set[int] = set()
        self.on_change: Callable[[int], None] = lambda _device_id: None
        # Called when a device has sent anything, or its errors may be shown differently.
        self.on_seen: Callable[[int], None] = lambda _device_id: None

    def of(self, device_id: int) -> Report:
        return self._reports.get(device_id) or Report()

    def touch(self, device_id: int) -> Report:
        report = self._reports.setdefault(device_id, Report())
        report.last_seen = int(time.time())
        self._unwritten.add(device_id)
        self.on_seen(device_id)
        return report

    def connected(self, device_id: int, hello: Hello) -> None:
        report = self.touch(device_id)
        report.agent_version = clean_name(hello.agent_version)
        report.engine_version = clean_name(hello.engine_version)
        report.trust, report.refusal = hello.trust, ""
        report.clock_offset = hello.clock_offset
        if abs(hello.clock_offset) >= WRONG_CLOCK_SECONDS:
            log.warning("device %d: its clock is off by %d s", device_id, hello.clock_offset)

    def disconnected(self, device_id: int) -> None:
        """Drop the folder states, which are unknown while the device is offline."""
        report = self.touch(device_id)
        report.folders, report.tunnel = {}, None
        self.on_change(device_id)

    def applied(self, device_id: int, message: Applied, folders: set[str]) -> None:
        report = self.touch(device_id)
        report.applied_rev = message.revision
        report.refusal = ""
        report.errors = [each for each in message.errors if each.folder_id in folders]
        many = len(self._reports) > LOGGED_DEVICES and not report.errors
        log.log(
            logging.DEBUG if many else logging.INFO,
            "device %d applied revision %d: %s",
            device_id,
            message.revision,
            ", ".join(f"folder {each.folder_id} {each.code}" for each in report.errors)
            or "no errors",
        )
        self.on_change(device_id)

    def refused(self, device_id: int, code: str) -> None:
        report = self.touch(device_id)
        if report.refusal != code:
            report.refusal = code
            log.warning("device %d does not follow this server: %s", device_id, code)
            self.on_change(device_id)

    def status(self, device_id: int, message: Status, folders: set[str]) -> None:
        """Store the status; folders that the device should not have are ignored."""
        report = self.touch(device_id)
        known = {id: each for id, each in message.folders.items() if id in folders}
        report.folders = report.folders | known
        if (report.tunnel is None) != (message.tunnel is None):
            way = "through this server" if message.tunnel else "directly"
            log.info("device %d connects to its hub %s", device_id, way)
        report.tunnel = message.tunnel
        self.on_change(device_id)

    def row(self, device_id: int, generation: int) -> DeviceRow:
        report = self.of(device_id)
        return DeviceRow(
            generation,
            report.agent_version,
            report.engine_version,
            report.last_seen,
            report.applied_rev,
            report.errors,
            report.folders,
            report.trust,
            report.refusal,
            report.clock_offset,
            report.tunnel,
        )

    def accept(self, device_id: int, row: DeviceRow) -> None:
        """Accept a report from the server that the device is connected to, which also stores it."""
        self._reports[device_id] = Report(
            row.agent_version,
            row.engine_version,
            row.last_seen,
            row.applied_rev,
            row.errors,
            row.folders,
            row.trust,
            row.refusal,
            row.clock_offset,
            row.tunnel,
        )
        self.on_change(device_id)

    def disconnected_elsewhere(self, device_id: int) -> None:
        if device_id in self._reports:
            report = self._reports[device_id]
            report.last_seen, report.folders, report.tunnel = int(time.time()), {}, None
        self.on_change(device_id)

    def prune(self, config: Config) -> None:
        """Forget removed devices, and folders that a device no longer has."""
        for device_id in self._reports.keys() - config.devices.keys():
            del self._reports[device_id]
        self._unwritten &= self._reports.keys()
        for device_id, report in self._reports.items():
            if report.errors:
                # They are shown with the numbers of folders, which may be others now.
                self.on_seen(device_id)
            if report.folders or report.errors:
                mine = config.engine_folders(device_id)
                report.folders = {id: each for id, each in report.folders.items() if id in mine}
                report.errors = [each for each in report.errors if each.folder_id in mine]

    async def flush(self) -> None:
        for batch in in_batches(list(self._unwritten), BATCH):
            rows = {id: _stored(self._reports[id]) for id in batch if id in self._reports}
            self._unwritten.difference_update(batch)
            try:
                await self._db.write(_put, rows)
            except Exception:
                self._unwritten |= rows.keys() & self._reports.keys()
                raise


def _put(tx: Tx, rows: dict[int, StoredReport]) -> None:
    devices.save_reports(tx.conn, rows)


def _report(seen: StoredReport) -> Report:
    return Report(seen.agent_version, seen.engine_version, seen.last_seen, seen.applied_rev)


def _stored(report: Report) -> StoredReport:
    return StoredReport(
        report.agent_version, report.engine_version, report.last_seen, report.applied_rev
    )
