"""The sync control server, put together."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from quartet.kernel import health
from quartet.kernel.auth import Throttle
from quartet.kernel.db import History
from quartet.kernel.demo import demo_password
from quartet.kernel.service import Authenticate, BuiltService, Connection, Identity, Kernel, Service
from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.activity import routes as activity_routes
from quartet.sync.activity.changes import Changes, changes_loop
from quartet.sync.activity.errors import Errors, errors_loop
from quartet.sync.activity.service import Activity
from quartet.sync.activity.tasks import activity_loop
from quartet.sync.agents import routes as agents_routes
from quartet.sync.agents.door import Door
from quartet.sync.agents.elsewhere import Elsewhere
from quartet.sync.agents.generations import Generations
from quartet.sync.agents.reports import Reports
from quartet.sync.agents.service import Agents
from quartet.sync.agents.tasks import desired_loop, reports_loop
from quartet.sync.agents.types import Limits
from quartet.sync.conflicts import routes as conflicts_routes
from quartet.sync.conflicts.service import Conflicts
from quartet.sync.demo.settings import demo_settings, has_engine
from quartet.sync.desired.states import MAIN
from quartet.sync.desired.types import NoHub
from quartet.sync.desired.where import HubPlace, hub_listen
from quartet.sync.devices import routes as devices_routes
from quartet.sync.devices.service import Devices
from quartet.sync.folders import routes as folders_routes
from quartet.sync.folders.service import Folders
from quartet.sync.guard import routes as guard_routes
from quartet.sync.guard.service import Guard
from quartet.sync.hub.service import Hub
from quartet.sync.hub.types import HubChange
from quartet.sync.hubs import routes as hubs_routes
from quartet.sync.hubs.service import Hubs
from quartet.sync.hubs.tasks import hub_loops
from quartet.sync.hubs.types import KnownHub
from quartet.sync.live import routes as live_routes
from quartet.sync.live.service import Live
from quartet.sync.live.tasks import update_loop
from quartet.sync.login import routes as login_routes
from quartet.sync.login.service import Login
from quartet.sync.metadata import metadata
from quartet.sync.notices import routes as notices_routes
from quartet.sync.notices.service import Notices
from quartet.sync.notices.tasks import notices_loops
from quartet.sync.pairing import routes as pairing_routes
from quartet.sync.pairing.announce import announce_loops
from quartet.sync.pairing.service import WRONG_CODES, Pairing
from quartet.sync.pairing.waiting import WaitingList
from quartet.sync.portable import routes as portable_routes
from quartet.sync.portable.service import Transfer
from quartet.sync.repairs import routes as repairs_routes
from quartet.sync.repairs.service import Repairs
from quartet.sync.revisions import routes as revisions_routes
from quartet.sync.revisions.service import Revisions
from quartet.sync.servers.board import Board
from quartet.sync.servers.bus import Bus
from quartet.sync.servers.hub import SharedHub
from quartet.sync.servers.requests import Requests
from quartet.sync.servers.tasks import owner_loops, server_loops
from quartet.sync.settings import SyncSettings, prepare
from quartet.sync.shares import routes as shares_routes
from quartet.sync.shares.service import ShareDrafts
from quartet.sync.traffic.tasks import traffic_loop
from quartet.sync.versions import routes as versions_routes
from quartet.sync.versions.service import Versions

LIMITS = Limits()


def build(
    kernel: Kernel[SyncSettings], limits: Limits = LIMITS, *, owner: bool | None = None
) -> BuiltService:
    """`owner` says whether it may have the hub and its files: by default where it may run one."""
    settings, db = kernel.settings, kernel.db
    hub_data = settings.hub_data or settings.data
    if owner is None:
        owner = (settings.hub or settings.database_url is None) and not settings.hub_name
    further = bool(settings.hub_name) and settings.hub
    login = Login(db, Throttle(name="sync-login", redis=kernel.redis))
    login.sessions.watch_endings(kernel.events)
    bus = Bus(kernel.events)
    board, servers = Board(bus, alone=settings.database_url is None), Requests(bus)
    revisions, activity = Revisions(db, settings.data), Activity(db)
    revisions.told.append(activity.revised)
    # Set when engines may have to be told: at a new revision, and when the hub has started.
    changed = asyncio.Event()
    revisions.listeners.append(lambda _config: changed.set())
    changes = Changes(activity, revisions)

    def heard(found: list[HubChange]) -> None:
        changes.add(found)
        conflicts.notice(found)
        guard.notice(found)

    def running() -> None:
        hubs.started.set()
        changed.set()

    engine = _hub(
        settings,
        hub_data,
        # What devices at a further hub change is heard at the main one.
        on_changes=(lambda _changes: None) if settings.hub_name else heard,
        on_status=lambda folder: own_hub.touch(folder),
        on_running=running,
    )
    hubs = _hubs(kernel, engine, board, servers)
    hubs.on_place = changed.set
    hub, own_hub = hubs.every[MAIN], hubs.every[settings.hub_name]
    place = HubPlace(settings, hubs.every)
    pairing = Pairing(
        db,
        revisions,
        activity,
        WaitingList(board),
        lan_pairing=settings.lan_pairing,
        throttle=Throttle(WRONG_CODES, window=60, name="sync-codes", redis=kernel.redis),
    )
    pairing.is_hub = hubs.is_engine
    devices, reports = Devices(revisions, hubs), Reports(db)
    agents = Agents(
        revisions,
        Door(pairing, revisions.server_id, settings.public_url, limits),
        reports,
        activity,
        Generations(db),
        Elsewhere(board, reports),
        hub=place,
        limits=limits,
    )
    live = Live(
        kernel.events,
        revisions,
        agents,
        reports,
        pairing.waiting,
        hub,
        hubs,
    )
    conflicts = Conflicts(db, hub_data, revisions, hub, activity, live.touch)
    live.conflicts = conflicts.count
    guard = Guard(
        revisions, hub, activity, percent=settings.guard_percent, files=settings.guard_files
    )
    notices = Notices(
        db, revisions, live, activity, hub, allow_private=settings.allow_private_addresses
    )
    versions = Versions(hub_data, revisions, hub, activity)
    # What only one of several servers can do, and others ask it for.
    servers.serve(conflicts.page, conflicts.content, conflicts.resolve)
    servers.serve(versions.page, versions.restore, guard.release)
    servers.serve(pairing.approve, pairing.reject)
    return BuiltService(
        routes=[
            health.health,
            *login_routes.ROUTES,
            *revisions_routes.ROUTES,
            *devices_routes.ROUTES,
            *hubs_routes.ROUTES,
            *folders_routes.ROUTES,
            *shares_routes.ROUTES,
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
        ],
        authenticate=_authenticate(login, revisions),
        dependencies={
            "login": login,
            "revisions": revisions,
            "devices": devices,
            "folders": Folders(revisions),
            "drafts": ShareDrafts(revisions, hub_data),
            "pairing": pairing,
            "agents": agents,
            "activity": activity,
            "live": live,
            "conflicts": conflicts,
            "versions": versions,
            "guard": guard,
            "repairs": Repairs(revisions),
            "transfer": Transfer(revisions, hubs, hub_data),
            "notices": notices,
            "hub": hub,
            "hubs": hubs,
            "servers": servers,
        },
        background_tasks=[
            desired_loop(revisions, agents, hubs, changed),
            reports_loop(agents, reports),
            update_loop(live),
            activity_loop(activity),
            changes_loop(changes),
            errors_loop(Errors(activity, revisions, reports, hubs)),
            *notices_loops(notices),
            traffic_loop(revisions, changed.set),
            *(owner_loops(engine, hubs, conflicts, versions, guard, revisions) if owner else []),
            *(hub_loops(engine, own_hub, hubs, revisions) if further else []),
            *server_loops(kernel.events, board, hub, revisions, conflicts, notices),
            *announce_loops(settings),
            *_demo_loops(kernel, pairing, revisions, devices),
        ],
    )


def _authenticate(login: Login, revisions: Revisions) -> Authenticate:
    async def authenticate(connection: Connection) -> Identity | None:
        identity = await login.identify(connection)
        if identity is not None:
            # People go on with what they have just changed, perhaps at another server.
            await revisions.catch_up()
        return identity

    return authenticate


def _demo_loops(
    kernel: Kernel[SyncSettings], pairing: Pairing, revisions: Revisions, devices: Devices
) -> list[BackgroundTask]:
    if not kernel.demo:
        return []
    # Here and not above: a real start needs nothing of it.
    from quartet.sync.demo.build import Rooms, demo_loops

    shares = ShareDrafts(revisions, kernel.settings.data)
    rooms = Rooms(revisions, pairing, devices, Folders(revisions), shares)
    return demo_loops(kernel, rooms)


def _hub(
    settings: SyncSettings,
    data: Path,
    *,
    on_changes: Callable[[list[HubChange]], None],
    on_status: Callable[[str], None],
    on_running: Callable[[], None],
) -> Hub | NoHub:
    if not settings.hub:
        return NoHub()
    return Hub(
        data,
        listen=hub_listen(settings),
        further=bool(settings.hub_name),
        on_status=on_status,
        on_changes=on_changes,
        on_running=on_running,
    )


def _hubs(
    kernel: Kernel[SyncSettings], engine: Hub | NoHub, board: Board, servers: Requests
) -> Hubs:
    """The main one, and that of this server if it is another."""
    address, name = kernel.settings.hub_address or "", kernel.settings.hub_name
    if not name:
        return Hubs(kernel.db, board, servers, SharedHub(engine, board, servers, address))
    main = SharedHub(NoHub(), board, servers, "")
    further = SharedHub(engine, board, servers, address, KnownHub(name, "", address))
    return Hubs(kernel.db, board, servers, main, further)


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
    # What devices know the hub by.
    backup_paths=("hub/cert.pem", "hub/key.pem"),
    prepare=prepare,
    prepare_demo=demo_settings,
)
