"""The sync control server: its handlers, background tasks and start-up."""

from pathlib import Path

from quartet.kernel import health
from quartet.kernel.auth import routes as session_routes
from quartet.kernel.db import History
from quartet.kernel.demo import demo_password
from quartet.kernel.events import EventHub
from quartet.kernel.events.tasks import reload_task
from quartet.kernel.push import routes as push_routes
from quartet.kernel.service import Authenticate, BuiltService, Connection, Identity, Kernel, Service
from quartet.kernel.supervisor import BackgroundTask
from quartet.kernel.trends import Source
from quartet.sync.accounts import routes as accounts_routes
from quartet.sync.accounts.access import check_access
from quartet.sync.activity import routes as activity_routes
from quartet.sync.activity.file_changes import file_changes_task
from quartet.sync.activity.tasks import activity_task
from quartet.sync.agentless import routes as agentless_routes
from quartet.sync.agents import routes as agents_routes
from quartet.sync.agents.pairing import routes as pairing_routes
from quartet.sync.agents.pairing.announce import announce_tasks
from quartet.sync.agents.tasks import desired_state_task, reports_task
from quartet.sync.agents.tunnels import tunnel_gauges
from quartet.sync.agents.types import Limits
from quartet.sync.cluster.state import cluster_task
from quartet.sync.components import Components, build_components
from quartet.sync.config import routes as config_routes
from quartet.sync.config.desired import MAIN
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.tasks import revisions_task, traffic_task
from quartet.sync.demo.settings import demo_settings, has_engine
from quartet.sync.distribution import routes as distribution_routes
from quartet.sync.hub import routes as hub_routes
from quartet.sync.hub.local import LocalHub
from quartet.sync.hub.tasks import hub_tasks
from quartet.sync.hub.transfer_rates import TransferRates, transfer_rates_task
from quartet.sync.hubfiles.browser import routes as browser_routes
from quartet.sync.hubfiles.conflicts import routes as conflicts_routes
from quartet.sync.hubfiles.conflicts import service as conflicts_service
from quartet.sync.hubfiles.conflicts.tasks import conflict_tasks
from quartet.sync.hubfiles.guard import routes as guard_routes
from quartet.sync.hubfiles.guard.tasks import clock_task, guard_task
from quartet.sync.hubfiles.links import routes as links_routes
from quartet.sync.hubfiles.restores import routes as restores_routes
from quartet.sync.hubfiles.restores.tasks import restores_task
from quartet.sync.hubfiles.versions import routes as versions_routes
from quartet.sync.hubfiles.versions.tasks import versions_task
from quartet.sync.live import routes as live_routes
from quartet.sync.live.gauges import device_gauges
from quartet.sync.live.tasks import updates_task
from quartet.sync.login import routes as login_routes
from quartet.sync.login.service import Login
from quartet.sync.metadata import metadata
from quartet.sync.missing import routes as missing_routes
from quartet.sync.notices import routes as notices_routes
from quartet.sync.notices import service as notices_service
from quartet.sync.notices.faults import FaultWatch, faults_task
from quartet.sync.notices.tasks import notices_tasks
from quartet.sync.oidc import routes as oidc_routes
from quartet.sync.portable import routes as portable_routes
from quartet.sync.repairs import routes as repairs_routes
from quartet.sync.server_key import routes as server_key_routes
from quartet.sync.server_key import service as server_key_service
from quartet.sync.settings import SERVICE_SETTINGS, SyncSettings

LIMITS = Limits()

ROUTES = [
    health.health,
    *login_routes.ROUTES,
    *accounts_routes.ROUTES,
    *oidc_routes.ROUTES,
    *session_routes.ROUTES,
    *config_routes.ROUTES,
    *hub_routes.ROUTES,
    *pairing_routes.ROUTES,
    *agents_routes.ROUTES,
    *agentless_routes.ROUTES,
    *distribution_routes.ROUTES,
    *activity_routes.ROUTES,
    *live_routes.ROUTES,
    *conflicts_routes.ROUTES,
    *versions_routes.ROUTES,
    *restores_routes.ROUTES,
    *browser_routes.ROUTES,
    *links_routes.ROUTES,
    *guard_routes.ROUTES,
    *repairs_routes.ROUTES,
    *missing_routes.ROUTES,
    *portable_routes.ROUTES,
    *server_key_routes.ROUTES,
    *notices_routes.ROUTES,
    *push_routes.ROUTES,
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
        gauges=[
            *device_gauges(parts.revisions, parts.connections.agents, parts.agentless),
            *tunnel_gauges(parts.connections.tunnels),
        ],
        background_tasks=[
            *_common_tasks(parts),
            *(_main_hub_tasks(kernel, parts) if owner else []),
            *(_further_hub_tasks(parts, settings.hub_name) if settings.hub else []),
            *_cluster_tasks(parts, kernel.events),
            *announce_tasks(settings),
            *_demo_tasks(kernel, parts),
        ],
    )


def _authenticate(login: Login, revisions: Revisions) -> Authenticate:
    async def authenticate(connection: Connection) -> Identity | None:
        identity = await login.identify(connection)
        if identity is not None:
            # Users expect to see their last change, even if another server made it.
            await revisions.catch_up()
            name = identity.subject
            view = login.accounts.view(name, revisions.current)
            check_access(connection, login.accounts.role(name) or "reader", view)
        return identity

    return authenticate


def _dependencies(parts: Components) -> dict[str, object]:
    """Return the arguments that handlers receive by name."""
    return {
        "login": parts.login,
        "accounts": parts.login.accounts,
        "invitations": parts.login.invitations,
        "provider_login": parts.provider_login,
        "sessions": parts.login.sessions,
        "revisions": parts.revisions,
        "devices": parts.devices,
        "folders": parts.folders,
        "drafts": parts.shares,
        "pauses": parts.pauses,
        "pairing": parts.connections.pairing,
        "server_keys": parts.connections.server_keys,
        "agents": parts.connections.agents,
        "tunnels": parts.connections.tunnels,
        "agentless": parts.agentless,
        "agent_distribution": parts.distribution,
        "adoption": parts.adoption,
        "activity": parts.activity,
        "live": parts.live,
        "conflicts": parts.files.conflicts,
        "versions": parts.files.versions,
        "restores": parts.files.restores,
        "browser": parts.files.browser,
        "links": parts.files.links,
        "holds": parts.files.guard.holds,
        "repairs": parts.repairs,
        "missing": parts.missing,
        "transfer": parts.transfer,
        "notices": parts.notices,
        **parts.pushed._asdict(),
        "hub": parts.hubs.by_name[MAIN],
        "hubs": parts.hubs,
        "servers": parts.cluster.requests,
    }


def _common_tasks(parts: Components) -> list[BackgroundTask]:
    errors = FaultWatch(parts.activity, parts.revisions, parts.connections.reports, parts.hubs)
    return [
        desired_state_task(parts.revisions, parts.connections.agents, parts.hubs, parts.changed),
        reports_task(parts.connections.agents, parts.connections.reports),
        updates_task(parts.live),
        activity_task(parts.activity),
        file_changes_task(parts.changes),
        faults_task(errors),
        *notices_tasks(parts.notices),
        traffic_task(parts.revisions, parts.changed.set),
    ]


def _main_hub_tasks(kernel: Kernel[SyncSettings], parts: Components) -> list[BackgroundTask]:
    """Return the tasks that run only in the server that owns the main hub."""
    hub, files = parts.hubs.by_name[MAIN], parts.files
    return [
        *hub_tasks(parts.engine, hub, parts.hubs, parts.revisions, files.conflicts.reload),
        *_rate_tasks(kernel, parts),
        *conflict_tasks(files.conflicts),
        versions_task(files.versions),
        restores_task(files.restores),
        guard_task(files.guard),
        clock_task(files.guard),
    ]


def _rate_tasks(kernel: Kernel[SyncSettings], parts: Components) -> list[BackgroundTask]:
    if not isinstance(parts.engine, LocalHub):
        return []
    rates = TransferRates(parts.engine, lambda: parts.revisions.current)
    kernel.trends.sources += [
        Source("received", rates.received),
        Source("sent", rates.sent),
        Source("queue", rates.missing_files),
    ]
    return [transfer_rates_task(rates, lambda: kernel.events.streams > 0)]


def _further_hub_tasks(parts: Components, name: str) -> list[BackgroundTask]:
    if name == MAIN:
        return []
    return hub_tasks(parts.engine, parts.hubs.by_name[name], parts.hubs, parts.revisions)


def _cluster_tasks(parts: Components, events: EventHub) -> list[BackgroundTask]:
    """Return the tasks that every server needs if several share one database."""
    if parts.cluster.cluster_state.single_server:
        return []
    hub, conflicts = parts.hubs.by_name[MAIN], parts.files.conflicts

    async def reload_conflicts() -> None:
        if not hub.owned:
            await conflicts.reload()

    return [
        cluster_task(parts.cluster.cluster_state),
        revisions_task(parts.revisions, events),
        reload_task(conflicts_service.TOPIC, events, reload_conflicts),
        reload_task(notices_service.TOPIC, events, parts.notices.reload),
        reload_task(server_key_service.TOPIC, events, parts.connections.server_keys.reload),
    ]


def _demo_tasks(kernel: Kernel[SyncSettings], parts: Components) -> list[BackgroundTask]:
    if not kernel.demo:
        return []
    # Imported here because a normal start does not need the demo.
    from quartet.sync.demo.setup import DemoServices, demo_tasks

    services = DemoServices(
        parts.revisions, parts.connections.pairing, parts.devices, parts.folders, parts.shares
    )
    return demo_tasks(kernel, services)


def welcome(kernel: Kernel[SyncSettings]) -> str:
    if not kernel.demo:
        return "sign in; set the password with quartet sync set-password"
    password = demo_password(kernel.settings.data, Login(kernel.db).set_password)
    hint = "" if has_engine() else "; install Syncthing to see devices in action"
    return f"sign in with the password {password}{hint}"


SERVICE = Service(
    name="sync",
    **SERVICE_SETTINGS._asdict(),
    history=History("sync", metadata, Path(__file__).parent / "migrations"),
    build=build,
    welcome=welcome,
    # Devices recognise the hub by its certificate.
    backup_paths=("keys", "hub/cert.pem", "hub/key.pem"),
    prepare_demo=demo_settings,
)
