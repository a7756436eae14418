"""Constructs the services of the download manager and connects them."""

from dataclasses import dataclass

from quartet.downloads.aria2.adding import NewDownloads
from quartet.downloads.aria2.methods import Methods
from quartet.downloads.aria2.notifications import Notifications
from quartet.downloads.aria2.options_service import Aria2Options
from quartet.downloads.aria2.protocol import Protocol
from quartet.downloads.aria2.service import Aria2
from quartet.downloads.aria2.stored_options import StoredOptions
from quartet.downloads.bittorrent.client import TorrentClient
from quartet.downloads.bittorrent.types import SessionSettings
from quartet.downloads.captchas.plugin_questions import PluginQuestions
from quartet.downloads.captchas.service import Captchas
from quartet.downloads.clicknload.service import ClickNLoad
from quartet.downloads.containers.service import Containers
from quartet.downloads.done.relocation import Relocation
from quartet.downloads.extraction.current import CurrentExtraction
from quartet.downloads.extraction.progress import ExtractionProgressMeter
from quartet.downloads.extraction.service import Extraction
from quartet.downloads.feeds.reader import EntryTaker
from quartet.downloads.feeds.service import Feeds
from quartet.downloads.history.service import HistoryService
from quartet.downloads.hoster_setup import Hosters, build_hosters
from quartet.downloads.icons.service import Icons
from quartet.downloads.links.service import Links
from quartet.downloads.login.service import Login
from quartet.downloads.notices.folders import folders_check
from quartet.downloads.notices.service import Notices
from quartet.downloads.notices.texts import TITLES
from quartet.downloads.options.service import OptionsService
from quartet.downloads.packages.service import Packages
from quartet.downloads.qbittorrent.login import ClientLogin
from quartet.downloads.qbittorrent.service import Qbittorrent
from quartet.downloads.queue.build import build_queue_services
from quartet.downloads.queue.queue_services import QueueServices
from quartet.downloads.queue.scheduler.scheduler import Scheduler
from quartet.downloads.queue.scheduler_inbox import SchedulerInbox
from quartet.downloads.queue.service import Queue
from quartet.downloads.rules.service import RulesService
from quartet.downloads.scripts.service import Scripts
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.signal import Signal
from quartet.downloads.solvers.service import Solvers
from quartet.downloads.torrents.service import TorrentService
from quartet.kernel.push.build import PushServices, build_push
from quartet.kernel.push.notices import BrowserNotices
from quartet.kernel.service import Kernel
from quartet.kernel.trends import Source


@dataclass(frozen=True)
class Clients:
    """The interfaces for programs made for aria2 or qBittorrent."""

    aria2: Protocol
    aria2_notifications: Notifications
    qbittorrent: Qbittorrent
    qbittorrent_login: ClientLogin


@dataclass(frozen=True)
class Components:
    login: Login
    inbox: SchedulerInbox
    options: OptionsService
    packages: Packages
    captchas: Captchas
    solvers: Solvers
    hosters: Hosters
    history: HistoryService
    queue_services: QueueServices
    scheduler: Scheduler
    meter: ExtractionProgressMeter
    extraction: Extraction
    relocation: Relocation
    links: Links
    clicknload: ClickNLoad
    pushed: PushServices
    scripts: Scripts
    notices: Notices
    containers: Containers
    queue: Queue
    rules: RulesService
    feeds: Feeds
    torrents: TorrentService
    torrent_client: TorrentClient
    icons: Icons
    # Wakes the fetching of icons.
    icons_wanted: Signal
    # Wakes the online check of new links.
    check: Signal
    # Wakes the reader of feeds.
    feeds_due: Signal


def build_components(kernel: Kernel[DownloadsSettings]) -> Components:
    inbox, check, feeds_due, icons_wanted = SchedulerInbox(), Signal(), Signal(), Signal()
    options = OptionsService(kernel, inbox.wake)
    packages = Packages(kernel, inbox.wake)
    queue = Queue(kernel, inbox)
    solvers = Solvers(kernel)
    captchas = _captchas(kernel, packages, solvers)
    hosters = build_hosters(kernel, inbox, check, PluginQuestions(captchas))
    torrent_client = TorrentClient(session_settings(kernel))
    services = build_queue_services(
        kernel, packages.on_download_finished, hosters.resolve, torrent_client
    )
    scheduler = Scheduler(kernel.db, inbox, services)
    current = CurrentExtraction()
    extraction = Extraction(kernel, services.done, current, captchas)
    packages.extraction = extraction.queue_package
    relocation = Relocation(kernel, services.done, current, extraction.wake)
    packages.on_folder_changed = relocation.changed.set
    links = _links(kernel, inbox, check, hosters, scheduler, torrent_client)
    containers = Containers(kernel, links)
    rules = RulesService(kernel, queue.start)
    feeds = Feeds(kernel, EntryTaker(links, rules, hosters.server_logins), feeds_due.set)
    rules.on_change = feeds.read_again
    _connect_crawler(hosters, links, rules, containers)
    torrents = TorrentService(kernel, torrent_client, inbox, scheduler.torrents.recheck)
    pushed = build_push(kernel, TITLES)
    scripts = Scripts(kernel)
    packages.on_complete = scripts.on_complete
    return Components(
        login=Login(kernel),
        inbox=inbox,
        options=options,
        packages=packages,
        captchas=captchas,
        solvers=solvers,
        hosters=hosters,
        history=HistoryService(kernel),
        queue_services=services,
        scheduler=scheduler,
        meter=_meter(kernel, scheduler, services, current),
        extraction=extraction,
        relocation=relocation,
        links=links,
        clicknload=ClickNLoad(links),
        pushed=pushed,
        scripts=scripts,
        notices=_notices(kernel, captchas, pushed.browser_notices),
        containers=containers,
        queue=queue,
        rules=rules,
        feeds=feeds,
        torrents=torrents,
        torrent_client=torrent_client,
        icons=Icons(kernel, hosters.accounts.hosts, icons_wanted.set),
        icons_wanted=icons_wanted,
        check=check,
        feeds_due=feeds_due,
    )


def build_clients(kernel: Kernel[DownloadsSettings], parts: Components) -> Clients:
    fetcher, client = parts.queue_services.fetcher, parts.torrent_client
    packages, queue, options = parts.packages, parts.queue, parts.options
    stored = StoredOptions(kernel.settings.data / "keys")
    aria2 = Aria2(kernel, packages, queue, fetcher, stored, client)
    added = NewDownloads(kernel, aria2, parts.links, stored, client)
    aria2_options = Aria2Options(kernel, aria2, packages, queue, options, stored, parts.torrents)
    methods = Methods(aria2, added, aria2_options).all()
    return Clients(
        aria2=Protocol(methods, parts.login.is_api_token),
        aria2_notifications=Notifications(kernel.db, kernel.events),
        qbittorrent=Qbittorrent(
            kernel, parts.links, packages, queue, options, fetcher, parts.torrents, client
        ),
        qbittorrent_login=ClientLogin(parts.login, kernel.settings.public_url),
    )


def session_settings(kernel: Kernel[DownloadsSettings]) -> SessionSettings:
    settings, allowed = kernel.settings, kernel.allow_private
    return SessionSettings(
        port=settings.torrent_port,
        allow_private=allowed if isinstance(allowed, bool) else list(allowed),
        block_list=str(settings.block_list) if settings.block_list else None,
    )


def _captchas(kernel: Kernel[DownloadsSettings], packages: Packages, solvers: Solvers) -> Captchas:
    captchas = Captchas(kernel.events, packages.ids_of_link)
    packages.asking = captchas.asking
    captchas.assist = solvers.solve
    captchas.report_wrong = solvers.report_wrong
    return captchas


def _meter(
    kernel: Kernel[DownloadsSettings],
    scheduler: Scheduler,
    services: QueueServices,
    current: CurrentExtraction,
) -> ExtractionProgressMeter:
    meter = ExtractionProgressMeter(scheduler, services.fetcher, current)
    kernel.trends.sources += [
        Source("speed", lambda: meter.speed),
        Source("upload", lambda: meter.upload_speed),
        Source("queue", lambda: meter.active),
    ]
    return meter


def _links(
    kernel: Kernel[DownloadsSettings],
    inbox: SchedulerInbox,
    check: Signal,
    hosters: Hosters,
    scheduler: Scheduler,
    torrent_client: TorrentClient,
) -> Links:
    def wake_check() -> None:
        check.set()
        scheduler.torrents.metadata.changed.set()

    match = hosters.checker.match
    return Links(kernel, inbox.wake, wake_check, hosters.crawl.set, match, torrent_client)


def _connect_crawler(
    hosters: Hosters, links: Links, rules: RulesService, containers: Containers
) -> None:
    links.on_checked = hosters.crawler.on_crawled = rules.apply
    hosters.crawler.add_magnets = links.add_from_page
    hosters.crawler.add_container = containers.add_linked


def _notices(
    kernel: Kernel[DownloadsSettings], captchas: Captchas, browsers: BrowserNotices
) -> Notices:
    notices = Notices(kernel, captchas, browsers)
    kernel.conditions.checks.append(folders_check(kernel.settings))
    kernel.conditions.notify = notices.report_problems
    return notices
