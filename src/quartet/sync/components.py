"""Constructs the services of the control server and connects them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from quartet.kernel.auth import Throttle
from quartet.kernel.conditions import Condition
from quartet.kernel.push.build import PushServices, build_push
from quartet.kernel.push.notices import BrowserNotices
from quartet.kernel.service import Kernel
from quartet.sync.activity.file_changes import FileChangeCounter
from quartet.sync.activity.service import Activity
from quartet.sync.agentless.service import Agentless
from quartet.sync.agents.adoption import Adoption
from quartet.sync.agents.scanning import FolderScanner
from quartet.sync.agents.types import Limits
from quartet.sync.assembly.agents import AgentConnections, build_connections
from quartet.sync.assembly.hubs import (
    Cluster,
    HubFiles,
    build_cluster,
    build_engine,
    build_hub_files,
    build_hubs,
    follow_engine,
)
from quartet.sync.cluster.requests import Requests
from quartet.sync.config.desired import MAIN
from quartet.sync.config.service.devices import Devices
from quartet.sync.config.service.folders import Folders
from quartet.sync.config.service.pauses import Pauses
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.service.shares import ShareDrafts
from quartet.sync.distribution.service import AgentDistribution
from quartet.sync.hub.local import LocalHub
from quartet.sync.hub.location import hub_port
from quartet.sync.hub.service import Hubs
from quartet.sync.hub.types import NoHub
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
from quartet.sync.settings import SyncSettings, provider_name


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
    cluster, activity = build_cluster(kernel), Activity(kernel.db)
    revisions = _revisions(kernel, activity, changed)
    changes = FileChangeCounter(activity, revisions)
    engine = build_engine(kernel, data)
    hubs = build_hubs(kernel, engine, cluster, changed)
    connections = build_connections(kernel, limits, revisions, activity, cluster, hubs, changed)
    agents, requests = connections.agents, cluster.requests
    scan = FolderScanner(revisions, agents).scan
    files = build_hub_files(kernel, data, revisions, activity, engine, hubs.by_name[MAIN], scan)
    agentless = Agentless(revisions, hubs, connections.reports, activity, hub_port(settings))
    live = _live(kernel, revisions, connections, hubs, files, agentless)
    if isinstance(engine, LocalHub):
        follow_engine(engine, hubs, settings.hub_name, changes, files, changed)
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


def _revisions(
    kernel: Kernel[SyncSettings], activity: Activity, changed: asyncio.Event
) -> Revisions:
    revisions = Revisions(kernel.db, kernel.settings.data)
    revisions.change_listeners.append(activity.record_revision)
    revisions.listeners.append(lambda _config: changed.set())
    return revisions


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
