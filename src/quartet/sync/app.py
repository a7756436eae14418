"""The sync control server: its handlers, background tasks and start-up."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from quartet.kernel import health
from quartet.kernel.db import History
from quartet.kernel.demo import demo_password
from quartet.kernel.events import EventHub
from quartet.kernel.service import Authenticate, BuiltService, Connection, Identity, Kernel, Service
from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.activity import routes as activity_routes
from quartet.sync.activity.changes import changes_loop
from quartet.sync.activity.tasks import activity_loop
from quartet.sync.agents import routes as agents_routes
from quartet.sync.agents.pairing import routes as pairing_routes
from quartet.sync.agents.pairing.announce import announce_loops
from quartet.sync.agents.tasks import desired_loop, reports_loop
from quartet.sync.agents.types import Limits
from quartet.sync.cluster.state import board_loop
from quartet.sync.components import Components, build_components
from quartet.sync.config import routes as config_routes
from quartet.sync.config.desired import MAIN
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.tasks import revisions_loop, traffic_loop
from quartet.sync.demo.settings import demo_settings, has_engine
from quartet.sync.hub import routes as hub_routes
from quartet.sync.hub.tasks import hub_loops
from quartet.sync.hubfiles.conflicts import routes as conflicts_routes
from quartet.sync.hubfiles.conflicts import service as conflicts_service
from quartet.sync.hubfiles.conflicts.tasks import conflict_loops
from quartet.sync.hubfiles.guard import routes as guard_routes
from quartet.sync.hubfiles.guard.tasks import guard_loop
from quartet.sync.hubfiles.versions import routes as versions_routes
from quartet.sync.hubfiles.versions.tasks import versions_loop
from quartet.sync.live import routes as live_routes
from quartet.sync.live.tasks import update_loop
from quartet.sync.login import routes as login_routes
from quartet.sync.login.service import Login
from quartet.sync.metadata import metadata
from quartet.sync.notices import routes as notices_routes
from quartet.sync.notices import service as notices_service
from quartet.sync.notices.faults import Errors, errors_loop
from quartet.sync.notices.tasks import notices_loops
from quartet.sync.portable import routes as portable_routes
from quartet.sync.repairs import routes as repairs_routes
from quartet.sync.settings import SyncSettings, prepare

LIMITS = Limits()

ROUTES = [
    health.health,
    *login_routes.ROUTES,
    *config_routes.ROUTES,
    *hub_routes.ROUTES,
    *pairing_routes.ROUTES,
    *agents_routes.ROUTES,
    *activity_routes.ROUTES,
    *live_routes.ROUTES,
    *conflicts_routes.ROUTES,
    *versions_routes.ROUTES,
    *guard_routes.ROUTES,
    *repairs_routes.ROUTES,
    *portable_routes.ROUTES,
    *notices_routes.ROUTES,
]


def build(
    kernel: Kernel[SyncSettings], limits: Limits = LIMITS, *, owner: bool | None = None
) -> BuiltService:
    """Build the service.

    `owner` says whether this server may own the main hub and its files; by default it may if it
    can run that hub.
    """
    settings = kernel.settings
    if owner is None:
        owner = (settings.hub or settings.database_url is None) and not settings.hub_name
    parts = build_components(kernel, limits)
    return BuiltService(
        routes=ROUTES,
        authenticate=_authenticate(parts.login, parts.revisions),
        dependencies=_dependencies(parts),
        background_tasks=[
            *_common_loops(parts),
            *(_main_hub_loops(parts) if owner else []),
            *(_further_hub_loops(parts, settings.hub_name) if settings.hub else []),
            *_cluster_loops(parts, kernel.events),
            *announce_loops(settings),
            *_demo_loops(kernel, parts),
        ],
    )


def _authenticate(login: Login, revisions: Revisions) -> Authenticate:
    async def authenticate(connection: Connection) -> Identity | None:
        identity = await login.identify(connection)
        if identity is not None:
            # Users expect to see their last change, even if another server made it.
            await revisions.catch_up()
        return identity

    return authenticate


def _dependencies(parts: Components) -> dict[str, object]:
    """Return the arguments that handlers receive by name."""
    return {
        "login": parts.login,
        "revisions": parts.revisions,
        "devices": parts.devices,
        "folders": parts.folders,
        "drafts": parts.shares,
        "pairing": parts.pairing,
        "agents": parts.agents,
        "activity": parts.activity,
        "live": parts.live,
        "conflicts": parts.files.conflicts,
        "versions": parts.files.versions,
        "guard": parts.files.guard,
        "repairs": parts.repairs,
        "transfer": parts.transfer,
        "notices": parts.notices,
        "hub": parts.hubs.every[MAIN],
        "hubs": parts.hubs,
        "servers": parts.cluster.requests,
    }


def _common_loops(parts: Components) -> list[BackgroundTask]:
    errors = Errors(parts.activity, parts.revisions, parts.reports, parts.hubs)
    return [
        desired_loop(parts.revisions, parts.agents, parts.hubs, parts.changed),
        reports_loop(parts.agents, parts.reports),
        update_loop(parts.live),
        activity_loop(parts.activity),
        changes_loop(parts.changes),
        errors_loop(errors),
        *notices_loops(parts.notices),
        traffic_loop(parts.revisions, parts.changed.set),
    ]


def _main_hub_loops(parts: Components) -> list[BackgroundTask]:
    """Return the loops that run only in the server that owns the main hub."""
    hub, files = parts.hubs.every[MAIN], parts.files
    return [
        *hub_loops(parts.engine, hub, parts.hubs, parts.revisions, files.conflicts.reload),
        *conflict_loops(files.conflicts),
        versions_loop(files.versions),
        guard_loop(files.guard),
    ]


def _further_hub_loops(parts: Components, name: str) -> list[BackgroundTask]:
    if name == MAIN:
        return []
    return hub_loops(parts.engine, parts.hubs.every[name], parts.hubs, parts.revisions)


def _cluster_loops(parts: Components, events: EventHub) -> list[BackgroundTask]:
    """Return the loops that every server needs if several share one database."""
    if parts.cluster.board.alone:
        return []
    hub, conflicts = parts.hubs.every[MAIN], parts.files.conflicts

    async def reload_conflicts() -> None:
        if not hub.owned:
            await conflicts.reload()

    return [
        board_loop(parts.cluster.board),
        revisions_loop(parts.revisions, events),
        _reload_loop(conflicts_service.TOPIC, events, reload_conflicts),
        _reload_loop(notices_service.TOPIC, events, parts.notices.reload),
    ]


def _reload_loop(
    topic: str, events: EventHub, reload: Callable[[], Awaitable[None]]
) -> BackgroundTask:
    """Call `reload` when another server announces a change under this topic."""
    changed = asyncio.Event()
    events.on(topic, lambda _about: changed.set())

    async def run() -> None:
        while True:
            await changed.wait()
            changed.clear()
            await reload()

    return BackgroundTask(topic, run, restart_on_return=True, everywhere=True)


def _demo_loops(kernel: Kernel[SyncSettings], parts: Components) -> list[BackgroundTask]:
    if not kernel.demo:
        return []
    # Imported here because a normal start does not need the demo.
    from quartet.sync.demo.build import Rooms, demo_loops

    rooms = Rooms(parts.revisions, parts.pairing, parts.devices, parts.folders, parts.shares)
    return demo_loops(kernel, rooms)


def welcome(kernel: Kernel[SyncSettings]) -> str:
    if not kernel.demo:
        return "log in; quartet sync set-password sets the password"
    password = demo_password(kernel.settings.data, Login(kernel.db).set_password)
    hint = "" if has_engine() else "; install syncthing to see devices at work"
    return f"log in with the password {password}{hint}"


SERVICE = Service(
    name="sync",
    prefix="SYNC_",
    settings=SyncSettings,
    history=History("sync", metadata, Path(__file__).parent / "migrations"),
    build=build,
    welcome=welcome,
    # Devices recognise the hub by its certificate.
    backup_paths=("hub/cert.pem", "hub/key.pem"),
    prepare=prepare,
    prepare_demo=demo_settings,
)
