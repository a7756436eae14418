"""Builds the API's view of the configuration and the reports; pure functions."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from quartet.sync.agents.reports import WRONG_CLOCK_SECONDS
from quartet.sync.agents.types import Report
from quartet.sync.config.pace import current_moment, pace_at
from quartet.sync.config.types.devices import Device
from quartet.sync.config.types.revisions import Config
from quartet.sync.config.types.traffic import Pace, Traffic
from quartet.sync.hub.types import HubReport
from quartet.sync.live.types import (
    HubFolderStatus,
    HubStatus,
    ShownDevice,
    ShownFolderError,
    ShownHub,
)
from quartet.sync.protocol import FolderError, FolderStatus, fingerprint

# Cached, because the same keys are shown on every request.
_fingerprint = lru_cache(maxsize=20_000)(fingerprint)


def shown_hub(report: HubReport, address: str) -> ShownHub:
    return ShownHub(
        engine_id=report.engine_id,
        engine_version=report.engine_version,
        address=address,
        state=report.state,
        error=report.error,
        applied_revision=report.applied_revision,
    )


def shown_device(config: Config, device: Device, report: Report, *, online: bool) -> ShownDevice:
    return ShownDevice(
        id=device.id,
        name=device.name,
        kind=device.kind,
        os=device.os,
        fingerprint="" if device.agentless else _fingerprint(device.public_key),
        engine_id=device.engine_id,
        agent_version=report.agent_version,
        engine_version=report.engine_version,
        approved=device.approved,
        blocked=not device.approved,
        created_at=device.created_at,
        last_seen=report.last_seen,
        applied_rev=report.applied_rev,
        online=online,
        errors=_errors(config, report.errors),
        traffic=device.traffic,
        pace=_pace(device.traffic),
        hub=device.hub,
        trust=report.trust,
        refusal=report.refusal,
        clock_offset=_wrong_offset(report.clock_offset),
        agentless=device.agentless,
        path_template=device.path_template,
    )


def _wrong_offset(seconds: int) -> int:
    return seconds if abs(seconds) >= WRONG_CLOCK_SECONDS else 0


def _pace(traffic: Traffic) -> Pace:
    # Fast path: there may be thousands of devices, and few have a schedule.
    if traffic.schedule:
        return pace_at(traffic, current_moment())
    return Pace(traffic.paused, traffic.upload_kib, traffic.download_kib)


def _errors(config: Config, errors: Iterable[FolderError]) -> list[ShownFolderError]:
    numbers = config.folder_id_by_engine_id
    return [
        ShownFolderError(numbers[each.folder_id], each.code, each.inputs)
        for each in errors
        if each.folder_id in numbers
    ]


def folder_statuses(config: Config, report: Report) -> dict[int, FolderStatus]:
    numbers = config.folder_id_by_engine_id
    return {numbers[id]: status for id, status in report.folders.items() if id in numbers}


def hub_status(config: Config, reports: Sequence[HubReport], folders: Iterable[str]) -> HubStatus:
    """Return the status of these folders; the main hub's report comes first."""
    numbers = config.folder_id_by_engine_id
    return HubStatus(
        {
            numbers[id]: _hub_folder(config, reports, id)
            for id in folders
            if id in numbers and id in reports[0].folders
        }
    )


def _hub_folder(config: Config, reports: Sequence[HubReport], id: str) -> HubFolderStatus:
    """Combine the completions of all hubs, since each knows only its own devices."""
    numbers = config.device_id_by_engine_id
    completion = {
        numbers[device]: each
        for report in reports
        for device, each in report.completion.get(id, {}).items()
        if device in numbers
    }
    return HubFolderStatus(**msgspec.structs.asdict(reports[0].folders[id]), completion=completion)
