"""The sync control server, put together."""

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path

from quartet.kernel import health
from quartet.kernel.db import History
from quartet.kernel.service import Kernel, Service, Wing
from quartet.kernel.supervisor import Loop
from quartet.sync.activity import routes as activity_routes
from quartet.sync.activity.changes import Changes, changes_loop
from quartet.sync.activity.errors import Errors, errors_loop
from quartet.sync.activity.service import Activity
from quartet.sync.activity.tasks import activity_loop
from quartet.sync.agents import routes as agents_routes
from quartet.sync.agents.door import Door
from quartet.sync.agents.reports import Reports
from quartet.sync.agents.service import Agents
from quartet.sync.agents.tasks import desired_loop, reports_loop
from quartet.sync.agents.types import Limits
from quartet.sync.conflicts import routes as conflicts_routes
from quartet.sync.conflicts.service import Conflicts
from quartet.sync.conflicts.tasks import conflict_loops
from quartet.sync.desired.tasks import when_needed
from quartet.sync.desired.types import NoHub
from quartet.sync.desired.where import HubPlace, hub_listen
from quartet.sync.devices import routes as devices_routes
from quartet.sync.devices.service import Devices
from quartet.sync.folders import routes as folders_routes
from quartet.sync.folders.service import Folders
from quartet.sync.guard import routes as guard_routes
from quartet.sync.guard.service import Guard
from quartet.sync.guard.tasks import guard_loop
from quartet.sync.hub.service import Hub
from quartet.sync.hub.tasks import loops as hub_loops
from quartet.sync.hub.types import HubChange
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
from quartet.sync.pairing.service import Pairing
from quartet.sync.portable import routes as portable_routes
from quartet.sync.portable.service import Transfer
from quartet.sync.repairs import routes as repairs_routes
from quartet.sync.repairs.service import Repairs
from quartet.sync.revisions import routes as revisions_routes
from quartet.sync.revisions.service import Revisions
from quartet.sync.settings import SyncSettings
from quartet.sync.shares import routes as shares_routes
from quartet.sync.shares.service import ShareDrafts
from quartet.sync.traffic.tasks import traffic_loop
from quartet.sync.versions import routes as versions_routes
from quartet.sync.versions.service import Versions
from quartet.sync.versions.tasks import versions_loop

LIMITS = Limits()


def build(kernel: Kernel[SyncSettings], limits: Limits = LIMITS) -> Wing:
    settings, db = kernel.settings, kernel.db
    login = Login(db)
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

    hub = _hub(
        settings,
        on_changes=heard,
        on_status=lambda folder: live.touch_folder(folder),
        on_running=changed.set,
    )
    place = HubPlace(settings, hub)
    pairing = Pairing(db, revisions, activity, lan_pairing=settings.lan_pairing)
    pairing.hub_id = lambda: place.engine_id
    reports = Reports(db)
    agents = Agents(
        revisions,
        Door(pairing, revisions.server_id, settings.public_url, limits),
        reports,
        activity,
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
        settings.hub_address or "",
    )
    conflicts = Conflicts(db, settings.data, revisions, hub, activity, live.touch)
    live.conflicts = conflicts.count
    guard = Guard(
        revisions, hub, activity, percent=settings.guard_percent, files=settings.guard_files
    )
    notices = Notices(db, revisions, live, activity, allow_private=settings.allow_private_addresses)
    versions = Versions(settings.data, revisions, hub, activity)
    return Wing(
        routes=[
            health.health,
            *login_routes.ROUTES,
            *revisions_routes.ROUTES,
            *devices_routes.ROUTES,
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
        authenticate=login.identify,
        dependencies={
            "login": login,
            "revisions": revisions,
            "devices": Devices(revisions),
            "folders": Folders(revisions),
            "drafts": ShareDrafts(revisions, settings.data),
            "pairing": pairing,
            "agents": agents,
            "activity": activity,
            "live": live,
            "conflicts": conflicts,
            "versions": versions,
            "guard": guard,
            "repairs": Repairs(revisions),
            "transfer": Transfer(revisions, settings.data),
            "notices": notices,
        },
        loops=[
            desired_loop(revisions, agents, hub, changed),
            reports_loop(agents, reports),
            update_loop(live),
            activity_loop(activity),
            changes_loop(changes),
            errors_loop(Errors(activity, revisions, reports, hub)),
            *conflict_loops(conflicts),
            versions_loop(versions),
            guard_loop(guard),
            *notices_loops(notices),
            traffic_loop(revisions, changed.set),
            *(when_needed(loop, revisions) for loop in _hub_loops(hub)),
            *announce_loops(settings),
        ],
    )


def _hub(
    settings: SyncSettings,
    *,
    on_changes: Callable[[list[HubChange]], None],
    on_status: Callable[[str], None],
    on_running: Callable[[], None],
) -> Hub | NoHub:
    if not settings.hub:
        return NoHub()
    return Hub(
        settings.data,
        listen=hub_listen(settings),
        on_status=on_status,
        on_changes=on_changes,
        on_running=on_running,
    )


def _hub_loops(hub: Hub | NoHub) -> list[Loop]:
    return hub_loops(hub) if isinstance(hub, Hub) else []


def welcome(kernel: Kernel[SyncSettings]) -> str:
    if not kernel.demo:
        return "log in; quartet sync set-password sets the password"
    # Made at the first start and kept beside the database, to be shown again.
    file = kernel.settings.data / "demo-password"
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(9))
        Login(kernel.db).set_password(file.read_text())
    return f"log in with the password {file.read_text()}"


SERVICE = Service(
    name="sync",
    prefix="SYNC_",
    settings=SyncSettings,
    history=History("sync", metadata, Path(__file__).parent / "migrations"),
    build=build,
    welcome=welcome,
)
