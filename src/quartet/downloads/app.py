"""Builds the downloads service."""

import logging
from pathlib import Path

from quartet.downloads.accounts import routes as accounts_routes
from quartet.downloads.accounts.importing import AccountImport
from quartet.downloads.aria2 import routes as aria2_routes
from quartet.downloads.aria2.tasks import aria2_loops
from quartet.downloads.captchas import routes as captchas_routes
from quartet.downloads.clicknload import routes as clicknload_routes
from quartet.downloads.clicknload.tasks import clicknload_loops
from quartet.downloads.components import Clients, Components, build_clients, build_components
from quartet.downloads.containers import routes as containers_routes
from quartet.downloads.containers.tasks import watch_loop
from quartet.downloads.demo.settings import DEMO_SERVERS, demo_settings
from quartet.downloads.done import routes as done_routes
from quartet.downloads.done.service import DoneService
from quartet.downloads.done.tasks import relocation_loop
from quartet.downloads.extraction.tasks import (
    archive_questions_loop,
    extraction_loop,
    extraction_progress_loop,
)
from quartet.downloads.feeds import routes as feeds_routes
from quartet.downloads.feeds.tasks import feeds_loop
from quartet.downloads.grabber import routes as grabber_routes
from quartet.downloads.grabber.service import Grabber
from quartet.downloads.history import routes as history_routes
from quartet.downloads.history.tasks import history_loop
from quartet.downloads.hosters import routes as hosters_routes
from quartet.downloads.icons import routes as icons_routes
from quartet.downloads.icons.tasks import icons_loop
from quartet.downloads.links import routes as links_routes
from quartet.downloads.links.tasks import check_loop
from quartet.downloads.login import routes as login_routes
from quartet.downloads.login import store as login_store
from quartet.downloads.login.setup_code import SetupCode
from quartet.downloads.metadata import metadata
from quartet.downloads.notices import routes as notices_routes
from quartet.downloads.notices.tasks import notices_loop
from quartet.downloads.options import routes as options_routes
from quartet.downloads.packages import routes as packages_routes
from quartet.downloads.qbittorrent import routes as qbittorrent_routes
from quartet.downloads.qbittorrent.read_methods import ReadMethods
from quartet.downloads.qbittorrent.write_methods import WriteMethods
from quartet.downloads.queue import routes as queue_routes
from quartet.downloads.queue.scheduler.space_watch import SpaceWatch
from quartet.downloads.queue.scheduler.tasks import (
    metadata_loop,
    progress_loop,
    queue_loop,
    seeding_loop,
    space_loop,
    sync_loop,
)
from quartet.downloads.queue.service import DetailsReader
from quartet.downloads.rules import routes as rules_routes
from quartet.downloads.scripts import routes as scripts_routes
from quartet.downloads.server_logins import routes as server_logins_routes
from quartet.downloads.settings import SERVICE_SETTINGS, DownloadsSettings
from quartet.downloads.solvers import routes as solvers_routes
from quartet.downloads.stats import routes as stats_routes
from quartet.downloads.stats.gauges import queue_gauges, stored_gauges
from quartet.downloads.stats.service import StatsService
from quartet.downloads.torrents import routes as torrents_routes
from quartet.kernel import health, live
from quartet.kernel.auth import routes as session_routes
from quartet.kernel.db import History
from quartet.kernel.push import routes as push_routes
from quartet.kernel.service import BuiltService, Kernel, Service
from quartet.kernel.supervisor import BackgroundTask
from quartet.kernel.user_patterns import pattern_worker_task

log = logging.getLogger("quartet.downloads")

ROUTES = [
    health.health,
    live.events,
    *login_routes.ROUTES,
    *session_routes.ROUTES,
    *links_routes.ROUTES,
    *packages_routes.ROUTES,
    *grabber_routes.ROUTES,
    *rules_routes.ROUTES,
    *feeds_routes.ROUTES,
    *queue_routes.ROUTES,
    *options_routes.ROUTES,
    *notices_routes.ROUTES,
    *scripts_routes.ROUTES,
    *push_routes.ROUTES,
    *stats_routes.ROUTES,
    *history_routes.ROUTES,
    *done_routes.ROUTES,
    *hosters_routes.ROUTES,
    *accounts_routes.ROUTES,
    *server_logins_routes.ROUTES,
    *icons_routes.ROUTES,
    *captchas_routes.ROUTES,
    *solvers_routes.ROUTES,
    *clicknload_routes.ROUTES,
    *containers_routes.ROUTES,
    *aria2_routes.ROUTES,
    *qbittorrent_routes.ROUTES,
    *torrents_routes.ROUTES,
]


def build(kernel: Kernel[DownloadsSettings]) -> BuiltService:
    parts = build_components(kernel)
    clients = build_clients(kernel, parts)
    return BuiltService(
        routes=ROUTES,
        authenticate=clients.qbittorrent_login.identify,
        cross_origin_paths=["/api/captcha/solve", aria2_routes.PATH],
        gauges=queue_gauges(parts.meter),
        stored_gauges=stored_gauges(),
        dependencies=_dependencies(kernel, parts, clients),
        background_tasks=_background_tasks(kernel, parts, clients),
    )


def _dependencies(
    kernel: Kernel[DownloadsSettings], parts: Components, clients: Clients
) -> dict[str, object]:
    """Return the arguments that handlers receive by name."""
    services, hosters = parts.queue_services, parts.hosters
    return {
        "login": parts.login,
        "sessions": parts.login.sessions,
        # Not `links`, which is the name of a request field.
        "grabber": parts.links,
        "packages": parts.packages,
        "collector": Grabber(kernel),
        "rules": parts.rules,
        "feeds": parts.feeds,
        "queue": parts.queue,
        "history": parts.history,
        "details": DetailsReader(kernel.db, services.fetcher, services.tmp),
        "options": parts.options,
        "meter": parts.meter,
        "done": DoneService(kernel, services.done, parts.extraction),
        "plugins": hosters.plugins,
        "crawler": hosters.crawler,
        "accounts": hosters.accounts,
        "server_logins": hosters.server_logins,
        "account_import": AccountImport(hosters.accounts, hosters.plugins),
        "icons": parts.icons,
        "captchas": parts.captchas,
        "solvers": parts.solvers,
        "notices": parts.notices,
        "scripts": parts.scripts,
        **parts.pushed._asdict(),
        "clicknload": parts.clicknload,
        "containers": parts.containers,
        "aria2": clients.aria2,
        "aria2_notifications": clients.aria2_notifications,
        "qbittorrent_read": ReadMethods(clients.qbittorrent),
        "qbittorrent_write": WriteMethods(clients.qbittorrent),
        "qbittorrent_login": clients.qbittorrent_login,
        "torrents": parts.torrents,
        "figures": StatsService(kernel, parts.options, parts.meter, hosters.accounts.premium),
    }


def _block_list_loops(kernel: Kernel[DownloadsSettings]) -> list[BackgroundTask]:
    path = kernel.settings.block_list
    if path is None or not kernel.settings.torrent_block_list_url:
        return []
    # Imported late, because few have such a list.
    from quartet.downloads.bittorrent.block_list import block_list_loop

    return [block_list_loop(kernel, path)]


def _script_loops(kernel: Kernel[DownloadsSettings], parts: Components) -> list[BackgroundTask]:
    if not kernel.settings.script:
        return []
    # Imported late, because few have a script.
    from quartet.downloads.scripts.tasks import scripts_loop

    return [scripts_loop(parts.scripts, kernel.events)]


def _background_tasks(
    kernel: Kernel[DownloadsSettings], parts: Components, clients: Clients
) -> list[BackgroundTask]:
    scheduler, services, extraction = parts.scheduler, parts.queue_services, parts.extraction
    return [
        queue_loop(scheduler, parts.inbox),
        sync_loop(services, parts.inbox),
        seeding_loop(scheduler),
        metadata_loop(scheduler),
        space_loop(SpaceWatch(kernel.db, parts.inbox, services.tmp, services.done)),
        notices_loop(parts.notices, kernel.events),
        *_script_loops(kernel, parts),
        progress_loop(scheduler, parts.meter, kernel.events),
        check_loop(parts.hosters.checker.check, parts.links, parts.check),
        history_loop(parts.history),
        feeds_loop(parts.feeds, parts.feeds_due),
        *_block_list_loops(kernel),
        pattern_worker_task(parts.rules.patterns),
        *parts.hosters.loops,
        icons_loop(parts.icons, parts.icons_wanted),
        extraction_loop(extraction),
        relocation_loop(parts.relocation),
        archive_questions_loop(extraction),
        extraction_progress_loop(extraction, parts.meter, kernel.events),
        *clicknload_loops(kernel.settings, parts.clicknload),
        *aria2_loops(kernel, clients.aria2, clients.aria2_notifications),
        watch_loop(kernel.settings, parts.containers, kernel.db),
        *_demo_loops(kernel, parts),
    ]


def _demo_loops(kernel: Kernel[DownloadsSettings], parts: Components) -> list[BackgroundTask]:
    if not kernel.demo:
        return []
    # Imported late, because only the demo needs it.
    from quartet.downloads.demo.build import demo_loops

    return demo_loops(kernel, parts.links, parts.packages, parts.queue, parts.icons)


def welcome(kernel: Kernel[DownloadsSettings]) -> str:
    if kernel.demo:
        from quartet.downloads.demo.welcome import demo_welcome

        return demo_welcome(kernel)
    if kernel.db.write_sync(lambda tx: login_store.user_name(tx.conn)) is not None:
        return "log in with your password"
    code = SetupCode(kernel.settings.data).current()
    log.info("no user yet: create one with the set-up code %s", code)
    # The part after # never reaches a log of a proxy.
    return f"create the user at {{address}}#setup={code}"


SERVICE = Service(
    name="downloads",
    **SERVICE_SETTINGS._asdict(),
    history=History("downloads", metadata, Path(__file__).parent / "migrations"),
    build=build,
    backup_paths=("keys", "plugins"),
    welcome=welcome,
    prepare_demo=demo_settings,
    demo_servers=DEMO_SERVERS,
)
