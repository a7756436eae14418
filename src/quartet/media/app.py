"""Builds the media service from its features."""

from pathlib import Path

from quartet.kernel import live
from quartet.kernel.auth import routes as session_routes
from quartet.kernel.db import History
from quartet.kernel.push import routes as push_routes
from quartet.kernel.service import BuiltService, Kernel, Service
from quartet.kernel.supervisor import BackgroundTask
from quartet.kernel.user_patterns import pattern_worker_task
from quartet.media.catalog import routes as catalog_routes
from quartet.media.components import Components, build_components
from quartet.media.dashboard import routes as dashboard_routes
from quartet.media.dashboard.gauges import job_gauges
from quartet.media.dashboard.service import DashboardService
from quartet.media.demo.settings import demo_settings
from quartet.media.health import routes as health_routes
from quartet.media.history import routes as history_routes
from quartet.media.history.tasks import backup_task
from quartet.media.hook import routes as hook_routes
from quartet.media.hook.service import Hook
from quartet.media.inbox import routes as inbox_routes
from quartet.media.inbox.service import Inbox
from quartet.media.jobs import routes as jobs_routes
from quartet.media.jobs.service import Jobs
from quartet.media.jobs.tasks import job_tasks
from quartet.media.login import routes as login_routes
from quartet.media.match import routes as match_routes
from quartet.media.naming import routes as naming_routes
from quartet.media.notify import routes as notify_routes
from quartet.media.notify.tasks import notify_task
from quartet.media.options import routes as options_routes
from quartet.media.posters import routes as posters_routes
from quartet.media.probe.tasks import probe_task
from quartet.media.roots import routes as roots_routes
from quartet.media.roots.service import Folders
from quartet.media.rules import routes as rules_routes
from quartet.media.settings import SERVICE_SETTINGS, MediaSettings
from quartet.media.statistics import routes as statistics_routes
from quartet.media.statistics.tasks import statistics_task
from quartet.media.subtitles.tasks import subtitles_task
from quartet.media.tables import metadata
from quartet.media.watch import routes as watch_routes
from quartet.media.watch.service import WatchFolders
from quartet.media.watch.tasks import watch_task
from quartet.media.watch.watcher import WatchServices

ROUTES = [
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
]


def build(kernel: Kernel[MediaSettings]) -> BuiltService:
    parts = build_components(kernel)
    return BuiltService(
        routes=ROUTES,
        authenticate=parts.login.identify,
        stored_gauges=job_gauges(),
        dependencies=_dependencies(kernel, parts),
        background_tasks=_background_tasks(kernel, parts),
    )


def _dependencies(kernel: Kernel[MediaSettings], parts: Components) -> dict[str, object]:
    """Return the arguments that handlers receive by name."""
    folders, jobs, watch_folders = parts.folders, parts.jobs, parts.watch_folders
    return {
        "login": parts.login,
        "sessions": parts.login.sessions,
        "saved_formats": parts.formats,
        "options": parts.options,
        "catalog": parts.catalog,
        "posters": parts.posters,
        "prober": parts.prober,
        "rule_sets": parts.rule_sets,
        "matcher": parts.matcher,
        "folders": folders,
        "moves": parts.moves,
        "history": parts.history,
        "backups": parts.backups,
        "jobs": jobs,
        "retries": parts.retries,
        "hook": Hook(kernel, folders, jobs, watch_folders),
        "inbox": parts.inbox,
        "watch_folders": watch_folders,
        "notifier": parts.notifier,
        **parts.pushed._asdict(),
        "dashboard": DashboardService(
            kernel,
            jobs=jobs,
            history=parts.history,
            folders=folders,
            watch_folders=watch_folders,
        ),
        "statistics": parts.statistics,
    }


def _background_tasks(kernel: Kernel[MediaSettings], parts: Components) -> list[BackgroundTask]:
    folders, jobs, watch_folders = parts.folders, parts.jobs, parts.watch_folders
    return [
        pattern_worker_task(parts.rule_sets.patterns),
        probe_task(parts.prober),
        backup_task(parts.backups),
        *job_tasks(jobs, parts.retries),
        watch_task(WatchServices(kernel.db, folders, parts.moves, jobs, watch_folders)),
        notify_task(parts.notifier),
        subtitles_task(parts.subtitles),
        statistics_task(parts.statistics),
        *_demo_tasks(kernel, folders, jobs, parts.inbox, watch_folders),
    ]


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
