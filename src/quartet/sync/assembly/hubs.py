"""Constructs the hubs, what works on the files of the main hub, and the link to other servers."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from quartet.kernel.auth import Throttle
from quartet.kernel.errors import Problem
from quartet.kernel.service import Kernel
from quartet.sync.activity.file_changes import FileChangeCounter
from quartet.sync.activity.service import Activity
from quartet.sync.cluster.bus import Bus
from quartet.sync.cluster.requests import Requests
from quartet.sync.cluster.state import ClusterState
from quartet.sync.config.desired import MAIN
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.demo.settings import has_engine
from quartet.sync.hub.local import LocalHub
from quartet.sync.hub.location import hub_listen
from quartet.sync.hub.service import Hubs
from quartet.sync.hub.shared import SharedHub
from quartet.sync.hub.types import KnownHub, NoHub
from quartet.sync.hubfiles.browser.service import HubBrowser
from quartet.sync.hubfiles.conflicts.service import Conflicts
from quartet.sync.hubfiles.guard.service import Holds
from quartet.sync.hubfiles.guard.settling import Scan
from quartet.sync.hubfiles.guard.watch import Guard
from quartet.sync.hubfiles.links.service import ShareLinks
from quartet.sync.hubfiles.restores.service import Restores
from quartet.sync.hubfiles.versions.service import Versions
from quartet.sync.settings import SyncSettings


@dataclass(frozen=True)
class Cluster:
    """The connection to the other control servers on the same database."""

    cluster_state: ClusterState
    requests: Requests


@dataclass(frozen=True)
class HubFiles:
    """The services that work on the files of the main hub."""

    conflicts: Conflicts
    versions: Versions
    restores: Restores
    browser: HubBrowser
    links: ShareLinks
    guard: Guard


def build_cluster(kernel: Kernel[SyncSettings]) -> Cluster:
    bus = Bus(kernel.events)
    return Cluster(
        ClusterState(bus, single_server=kernel.settings.database_url is None), Requests(bus)
    )


def build_engine(kernel: Kernel[SyncSettings], data: Path) -> LocalHub | NoHub:
    settings = kernel.settings
    if not settings.hub:
        # The demo turns the hub off if it would have to be downloaded.
        missing = kernel.demo and not has_engine()
        return NoHub(Problem("engine_missing")) if missing else NoHub()
    return LocalHub(
        data,
        listen=hub_listen(settings),
        additional=bool(settings.hub_name),
        guarded=settings.guard_percent > 0,
    )


def build_hubs(
    kernel: Kernel[SyncSettings],
    engine: LocalHub | NoHub,
    cluster: Cluster,
    changed: asyncio.Event,
) -> Hubs:
    """Register the main hub and, if this server runs an additional hub, that one too."""
    cluster_state, requests = cluster.cluster_state, cluster.requests
    address, name = kernel.settings.hub_address or "", kernel.settings.hub_name
    if name:
        main = SharedHub(NoHub(), cluster_state, requests, "")
        additional = SharedHub(
            engine, cluster_state, requests, address, KnownHub(name, "", address)
        )
        known = [main, additional]
    else:
        known = [SharedHub(engine, cluster_state, requests, address)]
    return Hubs(kernel.db, cluster_state, requests, *known, on_location_change=changed.set)


def build_hub_files(
    kernel: Kernel[SyncSettings],
    data: Path,
    revisions: Revisions,
    activity: Activity,
    engine: LocalHub | NoHub,
    hub: SharedHub,
    scan: Scan,
) -> HubFiles:
    percent, files = kernel.settings.guard_percent, kernel.settings.guard_files
    gate = engine.gate if isinstance(engine, LocalHub) else None
    versions = Versions(data, revisions, hub, activity, gated=gate is not None)
    holds = Holds(kernel.db, revisions, hub, versions, activity)
    browser = HubBrowser(data, revisions, hub)
    return HubFiles(
        Conflicts(kernel.db, data, revisions, hub, activity),
        versions,
        Restores(kernel.db, data, revisions, hub, versions, activity),
        browser,
        ShareLinks(kernel.db, browser, Throttle(name="sync-links", redis=kernel.redis)),
        Guard(holds, hub, gate, scan, percent=percent, files=files),
    )


def follow_engine(
    engine: LocalHub,
    hubs: Hubs,
    name: str,
    changes: FileChangeCounter,
    files: HubFiles,
    changed: asyncio.Event,
) -> None:
    engine.status_listeners += [hubs.by_name[name].touch, files.guard.handle_status]
    engine.start_listeners += [hubs.started.set, changed.set]
    engine.peer_listeners.append(hubs.by_name[name].on_peers)
    # The main hub also reports the changes of devices at additional hubs, so these report none.
    if name == MAIN:
        engine.change_listeners += [
            changes.add,
            files.conflicts.handle_changes,
            files.guard.handle_changes,
        ]
