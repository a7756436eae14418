"""Records errors in the activity feed once, when they appear."""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from quartet.kernel.errors import Problem
from quartet.kernel.supervisor import BackgroundTask, every
from quartet.sync.activity.service import Activity
from quartet.sync.agents.reports import Reports
from quartet.sync.config.desired import MAIN
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.revisions import Config
from quartet.sync.hub.service import Hubs
from quartet.sync.hub.types import HubReport
from quartet.sync.protocol import FolderStatus

LOOK_SECONDS = 2.0
# How long a problem has to last. Files that are being changed fail for a moment, and an agent
# reports why a folder stopped a little later.
LASTING_SECONDS = {"files_failed": 300.0, "folder_stopped": 10.0}
# A problem that returns sooner is the same one: an agent tries again after up to a minute, and
# during the attempt the folder has another state.
GONE_SECONDS = 150.0


class Fault(NamedTuple):
    """An error on a device, or on a hub if there is no device."""

    reason: str
    device_id: int | None = None
    folder_id: int | None = None
    # Name of an additional hub.
    hub: str = ""


Found = Iterator[tuple[Fault, Problem]]


class FaultWatch:
    def __init__(
        self, activity: Activity, revisions: Revisions, reports: Reports, hubs: Hubs
    ) -> None:
        self._activity = activity
        self._revisions = revisions
        self._reports = reports
        self._hubs = hubs
        # When each was last seen.
        self._known: dict[Fault, float] = {}
        # When problems that have to last began.
        self._began: dict[Fault, float] = {}

    async def check(self) -> None:
        config = self._revisions.current
        found = dict(self._of_devices(config))
        for name, hub in self._hubs.by_name.items():
            found |= dict(_of_hub(config, name, hub.state()))
        self._drop_short_ones(found)
        # All servers keep track, so that a new owner does not report the same errors again.
        if self._hubs.by_name[MAIN].owned:
            for fault in sorted(found.keys() - self._known.keys(), key=str):
                self._record(config, fault, found[fault])
        now = time.monotonic()
        lasting = {fault: at for fault, at in self._known.items() if now - at < GONE_SECONDS}
        self._known = lasting | dict.fromkeys(found, now)

    def _drop_short_ones(self, found: dict[Fault, Problem]) -> None:
        now = time.monotonic()
        waiting = [fault for fault in found if fault.reason in LASTING_SECONDS]
        self._began = {fault: self._began.get(fault, now) for fault in waiting}
        for fault, since in self._began.items():
            if now - since < LASTING_SECONDS[fault.reason]:
                del found[fault]

    def _of_devices(self, config: Config) -> Found:
        for device_id in config.devices:
            report = self._reports.of(device_id)
            for each in report.errors:
                folder_id = config.folder_id_by_engine_id.get(each.folder_id)
                yield Fault(each.code, device_id, folder_id), Problem(each.code, each.inputs)
            explained = {each.folder_id for each in report.errors}
            for folder, status in report.folders.items():
                problem = _of_folder(status)
                if problem is not None and folder not in explained:
                    folder_id = config.folder_id_by_engine_id.get(folder)
                    yield Fault(problem.code, device_id, folder_id), problem

    def _record(self, config: Config, fault: Fault, problem: Problem) -> None:
        # The inputs of the reason are kept apart, since their names may be the same.
        inputs: dict[str, Any] = {"reason": fault.reason, "details": dict(problem.inputs)}
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


def _of_hub(config: Config, name: str, report: HubReport) -> Found:
    # A hub that is not supposed to run is not an error.
    if report.error is not None and report.state != "stopped":
        yield Fault(report.error.code, hub=name), report.error
    for folder, status in report.folders.items():
        problem = _of_folder(status)
        if problem is not None:
            folder_id = config.folder_id_by_engine_id.get(folder)
            yield Fault(problem.code, None, folder_id, name), problem


def _of_folder(status: FolderStatus) -> Problem | None:
    if status.state == "error":
        return Problem("folder_stopped")
    return Problem("files_failed", {"count": status.errors}) if status.errors else None


def faults_task(watch: FaultWatch) -> BackgroundTask:
    return every(LOOK_SECONDS, watch.check, name="errors")
