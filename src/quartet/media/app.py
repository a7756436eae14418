"""Builds the media service from its features."""

from pathlib import Path

from quartet.kernel import live
from quartet.kernel.auth import routes as session_routes
from quartet.kernel.db import History
from quartet.kernel.push import routes as push_routes
from quartet.kernel.push.build import build_push
from quartet.kernel.service import BuiltService, Kernel, Service
from quartet.kernel.supervisor import BackgroundTask
from quartet.kernel.trends import Source, rate_of
from quartet.kernel.user_patterns import pattern_worker_task
from quartet.media.artwork.service import Artwork
from quartet.media.catalog import routes as catalog_routes
from quartet.media.catalog.service import Catalog
from quartet.media.dashboard import routes as dashboard_routes
from quartet.media.dashboard.gauges import job_gauges
from quartet.media.dashboard.service import DashboardService
from quartet.media.demo.settings import demo_settings
from quartet.media.health import routes as health_routes
from quartet.media.history import routes as history_routes
from quartet.media.history.backups import Backups
from quartet.media.history.service import History as FileHistory
from quartet.media.history.tasks import backup_task
from quartet.media.hook import routes as hook_routes
from quartet.media.hook.service import Hook
from quartet.media.inbox import routes as inbox_routes
from quartet.media.inbox.service import Inbox
from quartet.media.jobs import routes as jobs_routes
from quartet.media.jobs.catalog_retries import CatalogRetries
from quartet.media.jobs.preview.matchers import MatcherPool
from quartet.media.jobs.service import Jobs
from quartet.media.jobs.tasks import job_tasks
from quartet.media.login import routes as login_routes
from quartet.media.login.service import Login
from quartet.media.match import routes as match_routes
from quartet.media.match.service import Matcher
from quartet.media.moves.service import Moves
from quartet.media.naming import routes as naming_routes
from quartet.media.naming.service import Formats
from quartet.media.notify import routes as notify_routes
from quartet.media.notify.messages import TITLES
from quartet.media.notify.service import JobNotifier
from quartet.media.notify.tasks import notify_task
from quartet.media.options import routes as options_routes
from quartet.media.options.service import OptionsService
from quartet.media.posters import routes as posters_routes
from quartet.media.posters.service import Posters
from quartet.media.probe.service import Prober
from quartet.media.probe.tasks import probe_task
from quartet.media.roots import routes as roots_routes
from quartet.media.roots.folders_check import folders_check
from quartet.media.roots.service import Folders
from quartet.media.rules import routes as rules_routes
from quartet.media.rules.service import RuleSets
from quartet.media.settings import SERVICE_SETTINGS, MediaSettings
from quartet.media.statistics import routes as statistics_routes
from quartet.media.statistics.service import LibraryStatistics
from quartet.media.statistics.tasks import statistics_task
from quartet.media.subtitles.service import Subtitles
from quartet.media.subtitles.tasks import subtitles_task
from quartet.media.tables import metadata
from quartet.media.watch import routes as watch_routes
from quartet.media.watch.service import WatchFolders
from quartet.media.watch.tasks import watch_task
from quartet.media.watch.watcher import WatchServices


def build(kernel: Kernel[MediaSettings]) -> BuiltService:
    login = Login(kernel)
    options = OptionsService(kernel)
    options.run_first_start()
    demo = kernel.settings.demo or kernel.demo
    catalog = Catalog(kernel, options, demo=demo)
    folders = Folders(kernel)
    folders.run_first_start()
    moves = Moves(kernel, folders)
    moves.reconcile()
    prober = Prober(kernel)
    backups = Backups(kernel, folders, moves)
    formats = Formats(kernel, folders)
    matcher = Matcher(kernel, catalog, options)
    rule_sets = RuleSets(kernel, folders, prober)
    history = FileHistory(kernel, folders, moves)
    watch_folders = WatchFolders(kernel, folders, formats)
    posters = Posters(kernel, options)
    artwork = Artwork(kernel.db, folders, catalog, posters, moves)
    artwork.clean_up()
    subtitles = Subtitles(folders, options, moves)
    subtitles.clean_up()
    jobs = Jobs(
        kernel,
        folders=folders,
        formats=formats,
        options=options,
        rule_sets=rule_sets,
        matchers=MatcherPool(kernel, matcher, demo=demo),
        prober=prober,
        moves=moves,
        history=history,
        kept_folders=watch_folders.paths,
        artwork=artwork,
    )
    jobs.recover()
    moved = rate_of(lambda: moves.moved)
    kernel.trends.sources += [
        # The chart shows files per minute.
        Source("files", lambda: 60 * moved()),
        Source("queue", lambda: jobs.running),
    ]
    retries = CatalogRetries(kernel.db, jobs)
    options.listeners.append(retries.retry_all)
    inbox = Inbox(kernel, jobs)
    pushed = build_push(kernel, TITLES)
    notifier = JobNotifier(kernel, options, pushed.browser_notices)
    statistics = LibraryStatistics(kernel, folders)
    jobs.completion.listeners += [notifier.enqueue, subtitles.enqueue, statistics.job_finished]
    kernel.conditions.checks.append(folders_check(folders))
    kernel.conditions.notify = notifier.report_problems
    dashboard = DashboardService(
        kernel,
        jobs=jobs,
        history=history,
        folders=folders,
        watch_folders=watch_folders,
    )
    return BuiltService(
        routes=[
            health_routes.health,
            live.events,
            *login_routes.ROUTES,
            *session_routes.ROUTES,
            *naming_routes.ROUTES,
            *options_routes.ROUTES,
            *catalog_routes.ROUTES,
            *posters_routes.ROUTES,
            *match_routes.ROUTES,
            *rules_routes.ROUTES,
            *roots_routes.ROUTES,
            *history_routes.ROUTES,
            *jobs_routes.ROUTES,
            *hook_routes.ROUTES,
            *inbox_routes.ROUTES,
            *watch_routes.ROUTES,
            *notify_routes.ROUTES,
            *push_routes.ROUTES,
            *dashboard_routes.ROUTES,
            *statistics_routes.ROUTES,
        ],
        authenticate=login.identify,
        stored_gauges=job_gauges(),
        dependencies={
            "login": login,
            "sessions": login.sessions,
            "saved_formats": formats,
            "options": options,
            "catalog": catalog,
            "posters": posters,
            "prober": prober,
            "rule_sets": rule_sets,
            "matcher": matcher,
            "folders": folders,
            "moves": moves,
            "history": history,
            "backups": backups,
            "jobs": jobs,
            "retries": retries,
            "hook": Hook(kernel, folders, jobs, watch_folders),
            "inbox": inbox,
            "watch_folders": watch_folders,
            "notifier": notifier,
            **pushed._asdict(),
            "dashboard": dashboard,
            "statistics": statistics,
        },
        background_tasks=[
            pattern_worker_task(rule_sets.patterns),
            probe_task(prober),
            backup_task(backups),
            *job_tasks(jobs, retries),
            watch_task(WatchServices(kernel.db, folders, moves, jobs, watch_folders)),
            notify_task(notifier),
            subtitles_task(subtitles),
            statistics_task(statistics),
            *_demo_tasks(kernel, folders, jobs, inbox, watch_folders),
        ],
    )


def _demo_tasks(
    kernel: Kernel[MediaSettings],
    folders: Folders,
    jobs: Jobs,
    inbox: Inbox,
    watch_folders: WatchFolders,
) -> list[BackgroundTask]:
    if not kernel.demo:
        return []
    # Imported here because only the demo needs it.
    from quartet.media.demo.fill import demo_tasks

    return demo_tasks(kernel, folders, jobs, inbox, watch_folders)


def welcome(kernel: Kernel[MediaSettings]) -> str:
    if kernel.settings.token:
        return "sign in with the access token"
    return "open to this machine only; set APP_TOKEN to require sign-in"


SERVICE = Service(
    name="media",
    **SERVICE_SETTINGS._asdict(),
    history=History("media", metadata, Path(__file__).parent / "migrations"),
    build=build,
    prepare_demo=demo_settings,
    welcome=welcome,
)
