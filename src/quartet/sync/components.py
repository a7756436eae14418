"""Constructs the services of the control server and connects them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quartet.kernel.auth import Throttle
from quartet.kernel.conditions import Condition
from quartet.kernel.errors import Problem
from quartet.kernel.push.build import PushServices, build_push
from quartet.kernel.push.notices import BrowserNotices
from quartet.kernel.service import Kernel
from quartet.sync.activity.file_changes import FileChangeCounter
from quartet.sync.activity.service import Activity
from quartet.sync.agentless.service import Agentless
from quartet.sync.agents.adoption import Adoption
from quartet.sync.agents.connection_numbers import ConnectionNumbers
from quartet.sync.agents.handshake import Handshake
from quartet.sync.agents.pairing.service import MAX_WRONG_CODES, Pairing
from quartet.sync.agents.pairing.waiting import WaitingList
from quartet.sync.agents.remote_connections import RemoteConnections
from quartet.sync.agents.reports import Reports
from quartet.sync.agents.scanning import FolderScanner
from quartet.sync.agents.service import Agents
from quartet.sync.agents.tunnels import Tunnels
from quartet.sync.agents.types import Limits
from quartet.sync.cluster.bus import Bus
from quartet.sync.cluster.requests import Requests
from quartet.sync.cluster.state import ClusterState
from quartet.sync.config.desired import MAIN
from quartet.sync.config.service.devices import Devices
from quartet.sync.config.service.folders import Folders
from quartet.sync.config.service.pauses import Pauses
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.service.shares import ShareDrafts
from quartet.sync.demo.settings import has_engine
from quartet.sync.distribution.service import AgentDistribution
from quartet.sync.hub.local import LocalHub
from quartet.sync.hub.location import HubLocator, hub_listen, hub_port
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
from quartet.sync.live.service import Live
from quartet.sync.login.service import Login
from quartet.sync.missing.service import Missing
from quartet.sync.notices.checks import disk_check, hubs_check
from quartet.sync.notices.service import Notices
from quartet.sync.notices.texts import TITLES
from quartet.sync.oidc.provider import Provider
from quartet.sync.oidc.service import ProviderLogin
from quartet.sync.portable.service import Transfer
from quartet.sync.repairs.service import Repairs
from quartet.sync.server_key.service import ServerKeys
from quartet.sync.settings import SyncSettings, provider_name


@dataclass(frozen=True)
class Cluster:
    """The connection to the other control servers on the same database."""

    cluster_state: ClusterState
    requests: Requests


@dataclass(frozen=True)
class AgentConnections:
    """The services that pair devices with an agent and talk to them."""

    server_keys: ServerKeys
    waiting: WaitingList
    pairing: Pairing
    reports: Reports
    agents: Agents
    tunnels: Tunnels


@dataclass(frozen=True)
class HubFiles:
    """The services that work on the files of the main hub."""

    conflicts: Conflicts
    versions: Versions
    restores: Restores
    browser: HubBrowser
    links: ShareLinks
    guard: Guard


@dataclass(frozen=True)
class Components:
    login: Login
    provider_login: ProviderLogin
    cluster: Cluster
    revisions: Revisions
    activity: Activity
    changes: FileChangeCounter
    engine: LocalHub | NoHub
    hubs: Hubs
    devices: Devices
    folders: Folders
    shares: ShareDrafts
    pauses: Pauses
    connections: AgentConnections
    agentless: Agentless
    distribution: AgentDistribution
    adoption: Adoption
    files: HubFiles
    live: Live
    notices: Notices
    pushed: PushServices
    repairs: Repairs
    missing: Missing
    transfer: Transfer
    # Set when the desired states may have changed: after a new revision, and after a hub started
    # or moved.
    changed: asyncio.Event


def build_components(kernel: Kernel[SyncSettings], limits: Limits) -> Components:
    settings = kernel.settings
    data = settings.hub_data or settings.data
    changed = asyncio.Event()
    login, pushed = _login(kernel), build_push(kernel, TITLES)
    cluster, activity = _cluster(kernel), Activity(kernel.db)
    revisions = _revisions(kernel, activity, changed)
    changes = FileChangeCounter(activity, revisions)
    engine = _engine(kernel, data)
    hubs = _hubs(kernel, engine, cluster, changed)
    connections = _connections(kernel, limits, revisions, activity, cluster, hubs, changed)
    agents, requests = connections.agents, cluster.requests
    scan = FolderScanner(revisions, agents).scan
    files = _hub_files(kernel, data, revisions, activity, engine, hubs.by_name[MAIN], scan)
    agentless = Agentless(revisions, hubs, connections.reports, activity, hub_port(settings))
    live = _live(kernel, revisions, connections, hubs, files, agentless)
    if isinstance(engine, LocalHub):
        _follow_engine(engine, hubs, settings.hub_name, changes, files, changed)
        engine.migration_listeners.append(live.touch)
    missing = Missing(revisions, agents, hubs)
    _serve_other_servers(requests, files, connections, agentless, missing)
    return Components(
        login=login,
        provider_login=_provider_login(kernel, login),
        cluster=cluster,
        revisions=revisions,
        activity=activity,
        changes=changes,
        engine=engine,
        hubs=hubs,
        devices=Devices(revisions, hubs),
        folders=Folders(revisions),
        shares=ShareDrafts(revisions, data),
        pauses=Pauses(revisions),
        connections=connections,
        agentless=agentless,
        distribution=AgentDistribution(settings.data / "agents"),
        adoption=Adoption(revisions, agents.questions),
        files=files,
        live=live,
        notices=_notices(kernel, revisions, live, activity, hubs, pushed.browser_notices),
        pushed=pushed,
        repairs=Repairs(revisions, agents.questions),
        missing=missing,
        transfer=Transfer(revisions, hubs, data),
        changed=changed,
    )


def _login(kernel: Kernel[SyncSettings]) -> Login:
    throttle = Throttle(name="sync-login", redis=kernel.redis)
    name = provider_name(kernel.settings)
    login = Login(kernel.db, throttle, kernel.settings.data, name)
    login.sessions.watch_endings(kernel.events)
    return login


def _provider_login(kernel: Kernel[SyncSettings], login: Login) -> ProviderLogin:
    throttle = Throttle(limit=30, name="sync-oidc", redis=kernel.redis)
    return ProviderLogin(kernel.db, kernel.settings, Provider(kernel), login, throttle)


def _cluster(kernel: Kernel[SyncSettings]) -> Cluster:
    bus = Bus(kernel.events)
    return Cluster(
        ClusterState(bus, single_server=kernel.settings.database_url is None), Requests(bus)
    )


def _revisions(
    kernel: Kernel[SyncSettings], activity: Activity, changed: asyncio.Event
) -> Revisions:
    revisions = Revisions(kernel.db, kernel.settings.data)
    revisions.change_listeners.append(activity.record_revision)
    revisions.listeners.append(lambda _config: changed.set())
    return revisions


def _engine(kernel: Kernel[SyncSettings], data: Path) -> LocalHub | NoHub:
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


def _hubs(
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


def _connections(
    kernel: Kernel[SyncSettings],
    limits: Limits,
    revisions: Revisions,
    activity: Activity,
    cluster: Cluster,
    hubs: Hubs,
    changed: asyncio.Event,
) -> AgentConnections:
    server_keys = ServerKeys(kernel.db, revisions.server_id)
    # The next states are signed with the new key.
    server_keys.on_change = changed.set
    waiting = WaitingList(cluster.cluster_state)
    pairing = _pairing(kernel, revisions, activity, waiting, server_keys, hubs)
    reports = Reports(kernel.db)
    handshake = Handshake(pairing, server_keys, kernel.settings.public_url, limits)
    locator = HubLocator(kernel.settings, hubs.by_name)
    agents = Agents(
        revisions,
        handshake,
        reports,
        activity,
        ConnectionNumbers(kernel.db),
        RemoteConnections(cluster.cluster_state, reports),
        server_keys,
        cluster.requests,
        hub=locator,
        limits=limits,
        stopping=lambda: kernel.events.closed,
    )
    tunnels = Tunnels(handshake, revisions, locator, limits)
    return AgentConnections(server_keys, waiting, pairing, reports, agents, tunnels)


def _pairing(
    kernel: Kernel[SyncSettings],
    revisions: Revisions,
    activity: Activity,
    waiting: WaitingList,
    server_keys: ServerKeys,
    hubs: Hubs,
) -> Pairing:
    return Pairing(
        kernel.db,
        revisions,
        activity,
        waiting,
        server_keys,
        lan_pairing=kernel.settings.lan_pairing,
        throttle=Throttle(MAX_WRONG_CODES, window=60, name="sync-codes", redis=kernel.redis),
        is_hub=hubs.is_engine,
    )


def _hub_files(
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


def _live(
    kernel: Kernel[SyncSettings],
    revisions: Revisions,
    connections: AgentConnections,
    hubs: Hubs,
    files: HubFiles,
    agentless: Agentless,
) -> Live:
    return Live(
        kernel.events,
        revisions,
        connections.agents,
        connections.reports,
        connections.waiting,
        hubs,
        files.conflicts,
        kernel.conditions,
        agentless,
    )


def _notices(
    kernel: Kernel[SyncSettings],
    revisions: Revisions,
    live: Live,
    activity: Activity,
    hubs: Hubs,
    browsers: BrowserNotices,
) -> Notices:
    allow_private = kernel.settings.allow_private_addresses
    notices = Notices(
        kernel.db,
        revisions,
        live,
        activity,
        hubs.by_name[MAIN],
        browsers,
        allow_private=allow_private,
    )
    kernel.conditions.checks.append(hubs_check(hubs))
    if kernel.settings.hub_data:
        kernel.conditions.checks.append(disk_check(kernel.settings.hub_data))

    async def notify(began: Sequence[Condition], ended: Sequence[Condition]) -> None:
        live.touch()
        await notices.report_problems(began, ended)

    kernel.conditions.notify = notify
    return notices


def _follow_engine(
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


def _serve_other_servers(
    requests: Requests,
    files: HubFiles,
    connections: AgentConnections,
    agentless: Agentless,
    missing: Missing,
) -> None:
    """Let other servers call the methods that work only where the hub or the agent is."""
    pairing, agents = connections.pairing, connections.agents
    conflicts, versions = files.conflicts, files.versions
    requests.serve(conflicts.page, conflicts.content)
    requests.serve(conflicts.resolve, conflicts.resolve_all)
    requests.serve(versions.page, versions.restore)
    requests.serve(files.restores.begin, files.restores.preview, files.restores.page)
    requests.serve(files.browser.listing)
    requests.serve(files.guard.holds.release, files.guard.holds.undo)
    requests.serve(pairing.approve, pairing.reject)
    requests.serve(agents.questions.ask_here)
    requests.serve(missing.of_hub, missing.known_to_hub, missing.rescan_hub)
    requests.serve(agentless.dismiss)
