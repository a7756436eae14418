"""Records errors in the activity feed once, when they appear."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from quartet.kernel.supervisor import BackgroundTask, every
from quartet.sync.activity.service import Activity
from quartet.sync.agents.reports import Reports
from quartet.sync.config.desired import MAIN
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.revisions import Config
from quartet.sync.hub.service import Hubs
from quartet.sync.hub.types import HubReport

LOOK_SECONDS = 2.0


class Fault(NamedTuple):
    """An error on a device, or on a hub if there is no device."""

    reason: str
    device_id: int | None = None
    folder_id: int | None = None
    # Name of an additional hub.
    hub: str = ""


class FaultWatch:
    def __init__(
        self, activity: Activity, revisions: Revisions, reports: Reports, hubs: Hubs
    ) -> None:
        self._activity = activity
        self._revisions = revisions
        self._reports = reports
        self._hubs = hubs
        self._known: set[Fault] = set()

    async def check(self) -> None:
        config = self._revisions.current
        faults = set(self._of_devices(config))
        for name, hub in self._hubs.by_name.items():
            faults |= set(_of_hub(config, name, hub.state()))
        # All servers keep track, so that a new owner does not report the same errors again.
        if self._hubs.by_name[MAIN].owned:
            for fault in sorted(faults - self._known, key=str):
                self._record(config, fault)
        self._known = faults

    def _of_devices(self, config: Config) -> Iterator[Fault]:
        for device_id in config.devices:
            report = self._reports.of(device_id)
            for each in report.errors:
                folder_id = config.folder_id_by_engine_id.get(each.folder_id)
                yield Fault(each.code, device_id, folder_id)
            for folder, status in report.folders.items():
                if status.state == "error":
                    yield Fault(
                        "folder_stopped", device_id, config.folder_id_by_engine_id.get(folder)
                    )

    def _record(self, config: Config, fault: Fault) -> None:
        inputs: dict[str, Any] = {"reason": fault.reason}
        folder = config.folders.get(fault.folder_id or 0)
        device = config.devices.get(fault.device_id or 0)
        if folder:
            inputs["folder"] = folder.label
        if device:
            inputs["device"] = device.name
        where = "device" if device else "hub"
        if fault.hub:
            where, inputs["hub"] = "further_hub", fault.hub
        self._activity.record(
            "error",
            f"{where}_folder_error" if folder else f"{where}_error",
            device_id=fault.device_id,
            folder_id=fault.folder_id,
            **inputs,
        )


def _of_hub(config: Config, name: str, report: HubReport) -> Iterator[Fault]:
    # A hub that is not supposed to run is not an error.
    if report.error is not None and report.state != "stopped":
        yield Fault(report.error.code, hub=name)
    for folder, status in report.folders.items():
        if status.state == "error":
            yield Fault("folder_stopped", None, config.folder_id_by_engine_id.get(folder), name)


def faults_task(watch: FaultWatch) -> BackgroundTask:
    return every(LOOK_SECONDS, watch.check, name="errors")
