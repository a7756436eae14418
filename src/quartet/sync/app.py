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
from quartet.sync.activity.service import Activity
from quartet.sync.activity.tasks import activity_loop
from quartet.sync.agents import routes as agents_routes
from quartet.sync.agents.door import Door
from quartet.sync.agents.reports import Reports
from quartet.sync.agents.service import Agents
from quartet.sync.agents.tasks import desired_loop, reports_loop
from quartet.sync.agents.types import Limits
from quartet.sync.desired.tasks import when_needed
from quartet.sync.desired.types import NoHub
from quartet.sync.desired.where import HubPlace, hub_listen
from quartet.sync.devices import routes as devices_routes
from quartet.sync.devices.service import Devices
from quartet.sync.folders import routes as folders_routes
from quartet.sync.folders.service import Folders
from quartet.sync.hub.service import Hub
from quartet.sync.hub.tasks import loops as hub_loops
from quartet.sync.live import routes as live_routes
from quartet.sync.live.service import Live
from quartet.sync.live.tasks import update_loop
from quartet.sync.login import routes as login_routes
from quartet.sync.login.service import Login
from quartet.sync.metadata import metadata
from quartet.sync.pairing import routes as pairing_routes
from quartet.sync.pairing.announce import announce_loops
from quartet.sync.pairing.service import Pairing
from quartet.sync.revisions import routes as revisions_routes
from quartet.sync.revisions.service import Revisions
from quartet.sync.settings import SyncSettings
from quartet.sync.shares import routes as shares_routes
from quartet.sync.shares.service import ShareDrafts

LIMITS = Limits()


def build(kernel: Kernel[SyncSettings], limits: Limits = LIMITS) -> Wing:
    settings, db = kernel.settings, kernel.db
    login = Login(db)
    revisions, activity = Revisions(db, settings.data), Activity(db)
    # Set when engines may have to be told: at a new revision, and when the hub has started.
    changed = asyncio.Event()
    revisions.listeners.append(lambda _config: changed.set())
    changes = Changes(activity, revisions)
    hub = _hub(
        settings,
        changes,
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
        },
        loops=[
            desired_loop(revisions, agents, hub, changed),
            reports_loop(agents, reports),
            update_loop(live),
            activity_loop(activity),
            changes_loop(changes),
            *(when_needed(loop, revisions) for loop in _hub_loops(hub)),
            *announce_loops(settings),
        ],
    )


def _hub(
    settings: SyncSettings,
    changes: Changes,
    *,
    on_status: Callable[[str], None],
    on_running: Callable[[], None],
) -> Hub | NoHub:
    if not settings.hub:
        return NoHub()
    return Hub(
        settings.data,
        listen=hub_listen(settings),
        on_status=on_status,
        on_changes=changes.add,
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
