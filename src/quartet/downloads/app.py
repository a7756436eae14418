"""Builds the downloads service."""

import logging
from pathlib import Path

from quartet.downloads.accounts import routes as accounts_routes
from quartet.downloads.accounts.importing import AccountImport
from quartet.downloads.aria2 import routes as aria2_routes
from quartet.downloads.aria2.adding import NewDownloads
from quartet.downloads.aria2.methods import Methods
from quartet.downloads.aria2.notifications import Notifications
from quartet.downloads.aria2.options_service import Aria2Options
from quartet.downloads.aria2.protocol import Protocol
from quartet.downloads.aria2.service import Aria2
from quartet.downloads.aria2.stored_options import StoredOptions
from quartet.downloads.aria2.tasks import aria2_loops
from quartet.downloads.bittorrent.client import TorrentClient
from quartet.downloads.bittorrent.types import SessionSettings
from quartet.downloads.captchas import routes as captchas_routes
from quartet.downloads.captchas.plugin_questions import PluginQuestions
from quartet.downloads.captchas.service import Captchas
from quartet.downloads.clicknload import routes as clicknload_routes
from quartet.downloads.clicknload.service import ClickNLoad
from quartet.downloads.clicknload.tasks import clicknload_loops
from quartet.downloads.containers import routes as containers_routes
from quartet.downloads.containers.service import Containers
from quartet.downloads.containers.tasks import watch_loop
from quartet.downloads.demo.settings import DEMO_SERVERS, demo_settings
from quartet.downloads.demo.welcome import demo_welcome
from quartet.downloads.done import routes as done_routes
from quartet.downloads.done.relocation import Relocation
from quartet.downloads.done.service import DoneService
from quartet.downloads.done.tasks import relocation_loop
from quartet.downloads.extraction.current import CurrentExtraction
from quartet.downloads.extraction.progress import ExtractionProgressMeter
from quartet.downloads.extraction.service import Extraction
from quartet.downloads.extraction.tasks import (
    archive_questions_loop,
    extraction_loop,
    extraction_progress_loop,
)
from quartet.downloads.feeds import routes as feeds_routes
from quartet.downloads.feeds.reader import EntryTaker
from quartet.downloads.feeds.service import Feeds
from quartet.downloads.feeds.tasks import feeds_loop
from quartet.downloads.grabber import routes as grabber_routes
from quartet.downloads.grabber.service import Grabber
from quartet.downloads.history import routes as history_routes
from quartet.downloads.history.service import HistoryService
from quartet.downloads.history.tasks import history_loop
from quartet.downloads.hoster_setup import build_hosters
from quartet.downloads.hosters import routes as hosters_routes
from quartet.downloads.links import routes as links_routes
from quartet.downloads.links.service import Links
from quartet.downloads.links.tasks import check_loop
from quartet.downloads.login import routes as login_routes
from quartet.downloads.login import store as login_store
from quartet.downloads.login.service import Login
from quartet.downloads.login.setup_code import SetupCode
from quartet.downloads.metadata import metadata
from quartet.downloads.notices import routes as notices_routes
from quartet.downloads.notices.folders import folders_check
from quartet.downloads.notices.service import Notices
from quartet.downloads.notices.tasks import notices_loop
from quartet.downloads.notices.texts import TITLES
from quartet.downloads.options import routes as options_routes
from quartet.downloads.options.service import OptionsService
from quartet.downloads.packages import routes as packages_routes
from quartet.downloads.packages.service import Packages
from quartet.downloads.qbittorrent import routes as qbittorrent_routes
from quartet.downloads.qbittorrent.changing import Changing
from quartet.downloads.qbittorrent.login import ClientLogin
from quartet.downloads.qbittorrent.reading import Reading
from quartet.downloads.qbittorrent.service import Qbittorrent
from quartet.downloads.queue import routes as queue_routes
from quartet.downloads.queue.build import build_queue_services
from quartet.downloads.queue.scheduler.scheduler import Scheduler
from quartet.downloads.queue.scheduler.space_watch import SpaceWatch
from quartet.downloads.queue.scheduler.tasks import (
    metadata_loop,
    progress_loop,
    queue_loop,
    seeding_loop,
    space_loop,
    sync_loop,
)
from quartet.downloads.queue.scheduler_inbox import SchedulerInbox
from quartet.downloads.queue.service import DetailsReader, Queue
from quartet.downloads.rules import routes as rules_routes
from quartet.downloads.rules.service import RulesService
from quartet.downloads.settings import SERVICE_SETTINGS, DownloadsSettings
from quartet.downloads.signal import Signal
from quartet.downloads.solvers import routes as solvers_routes
from quartet.downloads.solvers.service import Solvers
from quartet.downloads.stats import routes as stats_routes
from quartet.downloads.stats.gauges import queue_gauges, stored_gauges
from quartet.downloads.stats.service import StatsService
from quartet.downloads.torrents import routes as torrents_routes
from quartet.downloads.torrents.service import TorrentService
from quartet.kernel import health, live
from quartet.kernel.auth import routes as session_routes
from quartet.kernel.db import History
from quartet.kernel.push import routes as push_routes
from quartet.kernel.push.build import build_push
from quartet.kernel.service import BuiltService, Kernel, Service
from quartet.kernel.supervisor import BackgroundTask
from quartet.kernel.trends import Source
from quartet.kernel.user_patterns import pattern_worker_task

log = logging.getLogger("quartet.downloads")


def build(kernel: Kernel[DownloadsSettings]) -> BuiltService:
    login = Login(kernel)
    inbox, check = SchedulerInbox(), Signal()
    options = OptionsService(kernel, inbox.wake)
    packages = Packages(kernel, inbox.wake)
    captchas = Captchas(kernel.events, packages.ids_of_link)
    packages.asking = captchas.asking
    solvers = Solvers(kernel)
    captchas.assist = solvers.solve
    captchas.report_wrong = solvers.report_wrong
    hosters = build_hosters(kernel, inbox, check, PluginQuestions(captchas))
    torrents = TorrentClient(session_settings(kernel))
    services = build_queue_services(
        kernel, packages.on_download_finished, hosters.resolve, torrents
    )
    scheduler = Scheduler(kernel.db, inbox, services)
    current = CurrentExtraction()
    meter = ExtractionProgressMeter(scheduler, services.fetcher, current)
    kernel.trends.sources += [
        Source("speed", lambda: meter.speed),
        Source("upload", lambda: meter.upload_speed),
        Source("queue", lambda: meter.active),
    ]
    extraction = Extraction(kernel, services.done, current, captchas)
    packages.extraction = extraction.queue_package
    relocation = Relocation(kernel, services.done, current, extraction.wake)
    packages.on_folder_changed = relocation.changed.set
    checker = hosters.checker

    def wake_check() -> None:
        check.set()
        scheduler.torrents.metadata.changed.set()

    links = Links(kernel, inbox.wake, wake_check, hosters.crawl.set, checker.match, torrents)
    clicknload = ClickNLoad(links)
    pushed = build_push(kernel, TITLES)
    notices = Notices(kernel, captchas, pushed.browser_notices)
    containers = Containers(kernel, links)
    kernel.conditions.checks.append(folders_check(kernel.settings))
    kernel.conditions.notify = notices.report_problems
    queue = Queue(kernel, inbox)
    history = HistoryService(kernel)
    rules = RulesService(kernel, queue.start)
    links.on_checked = hosters.crawler.on_crawled = rules.apply
    hosters.crawler.add_magnets = links.add_from_page
    hosters.crawler.add_container = containers.add_linked
    feeds_due = Signal()
    feeds = Feeds(kernel, EntryTaker(links, rules), feeds_due.set)
    torrent_service = TorrentService(kernel, torrents, inbox, scheduler.torrents.recheck)
    stored = StoredOptions(kernel.settings.data / "keys")
    aria2 = Aria2(kernel, packages, queue, services.fetcher, stored, torrents)
    added = NewDownloads(kernel, aria2, links, stored, torrents)
    aria2_options = Aria2Options(kernel, aria2, packages, queue, options, stored, torrent_service)
    protocol = Protocol(Methods(aria2, added, aria2_options).all(), login.is_api_token)
    notifications = Notifications(kernel.db, kernel.events)
    qbittorrent = Qbittorrent(
        kernel, links, packages, queue, options, services.fetcher, torrent_service, torrents
    )
    qbittorrent_login = ClientLogin(login, kernel.settings.public_url)
    return BuiltService(
        routes=[
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
            *push_routes.ROUTES,
            *stats_routes.ROUTES,
            *history_routes.ROUTES,
            *done_routes.ROUTES,
            *hosters_routes.ROUTES,
            *accounts_routes.ROUTES,
            *captchas_routes.ROUTES,
            *solvers_routes.ROUTES,
            *clicknload_routes.ROUTES,
            *containers_routes.ROUTES,
            *aria2_routes.ROUTES,
            *qbittorrent_routes.ROUTES,
            *torrents_routes.ROUTES,
        ],
        authenticate=qbittorrent_login.identify,
        cross_origin_paths=["/api/captcha/solve", aria2_routes.PATH],
        gauges=queue_gauges(meter),
        stored_gauges=stored_gauges(),
        dependencies={
            "login": login,
            "sessions": login.sessions,
            # Not `links`, which is the name of a request field.
            "grabber": links,
            "packages": packages,
            "collector": Grabber(kernel),
            "rules": rules,
            "feeds": feeds,
            "queue": queue,
            "history": history,
            "details": DetailsReader(kernel.db, services.fetcher, services.tmp),
            "options": options,
            "meter": meter,
            "done": DoneService(kernel, services.done, extraction),
            "plugins": hosters.plugins,
            "crawler": hosters.crawler,
            "accounts": hosters.accounts,
            "account_import": AccountImport(hosters.accounts, hosters.plugins),
            "captchas": captchas,
            "solvers": solvers,
            "notices": notices,
            **pushed._asdict(),
            "clicknload": clicknload,
            "containers": containers,
            "aria2": protocol,
            "aria2_notifications": notifications,
            "qbittorrent_reading": Reading(qbittorrent),
            "qbittorrent_changing": Changing(qbittorrent),
            "qbittorrent_login": qbittorrent_login,
            "torrents": torrent_service,
            "figures": StatsService(kernel, options, meter, hosters.accounts.premium),
        },
        background_tasks=[
            queue_loop(scheduler, inbox),
            sync_loop(services, inbox),
            seeding_loop(scheduler),
            metadata_loop(scheduler),
            space_loop(SpaceWatch(kernel.db, inbox, services.tmp, services.done)),
            notices_loop(notices, kernel.events),
            progress_loop(scheduler, meter, kernel.events),
            check_loop(checker.check, links, check),
            history_loop(history),
            feeds_loop(feeds, feeds_due),
            pattern_worker_task(rules.patterns),
            *hosters.loops,
            extraction_loop(extraction),
            relocation_loop(relocation),
            archive_questions_loop(extraction),
            extraction_progress_loop(extraction, meter, kernel.events),
            *clicknload_loops(kernel.settings, clicknload),
            *aria2_loops(kernel, protocol, notifications),
            watch_loop(kernel.settings, containers, kernel.db),
            *_demo_loops(kernel, links, packages, queue),
        ],
    )


def session_settings(kernel: Kernel[DownloadsSettings]) -> SessionSettings:
    settings, allowed = kernel.settings, kernel.allow_private
    return SessionSettings(
        port=settings.torrent_port,
        allow_private=allowed if isinstance(allowed, bool) else list(allowed),
        block_list=str(settings.torrent_block_list) if settings.torrent_block_list else None,
    )


def _demo_loops(
    kernel: Kernel[DownloadsSettings], links: Links, packages: Packages, queue: Queue
) -> list[BackgroundTask]:
    if not kernel.demo:
        return []
    # Imported late, because only the demo needs it.
    from quartet.downloads.demo.build import demo_loops

    return demo_loops(kernel, links, packages, queue)


def welcome(kernel: Kernel[DownloadsSettings]) -> str:
    if kernel.demo:
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
