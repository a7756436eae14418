"""Constructs the services of media and connects them."""

from dataclasses import dataclass

from quartet.kernel.push.build import PushServices, build_push
from quartet.kernel.service import Kernel
from quartet.kernel.trends import Source, rate_of
from quartet.media.artwork.service import Artwork
from quartet.media.catalog.service import Catalog
from quartet.media.history.backups import Backups
from quartet.media.history.service import History
from quartet.media.inbox.service import Inbox
from quartet.media.jobs.catalog_retries import CatalogRetries
from quartet.media.jobs.preview.matchers import MatcherPool
from quartet.media.jobs.service import Jobs
from quartet.media.login.service import Login
from quartet.media.match.service import Matcher
from quartet.media.moves.service import Moves
from quartet.media.naming.service import Formats
from quartet.media.notify.messages import TITLES
from quartet.media.notify.service import JobNotifier
from quartet.media.options.service import OptionsService
from quartet.media.posters.service import Posters
from quartet.media.probe.service import Prober
from quartet.media.roots.folders_check import folders_check
from quartet.media.roots.service import Folders
from quartet.media.rules.service import RuleSets
from quartet.media.settings import MediaSettings
from quartet.media.statistics.service import LibraryStatistics
from quartet.media.subtitles.service import Subtitles
from quartet.media.watch.service import WatchFolders


@dataclass(frozen=True)
class Components:
    login: Login
    options: OptionsService
    catalog: Catalog
    folders: Folders
    moves: Moves
    prober: Prober
    backups: Backups
    formats: Formats
    matcher: Matcher
    rule_sets: RuleSets
    history: History
    watch_folders: WatchFolders
    posters: Posters
    subtitles: Subtitles
    jobs: Jobs
    retries: CatalogRetries
    inbox: Inbox
    pushed: PushServices
    notifier: JobNotifier
    statistics: LibraryStatistics


def build_components(kernel: Kernel[MediaSettings]) -> Components:
    demo = kernel.settings.demo or kernel.demo
    options, folders = OptionsService(kernel), Folders(kernel)
    options.run_first_start()
    folders.run_first_start()
    moves = Moves(kernel, folders)
    moves.reconcile()
    catalog, posters = Catalog(kernel, options, demo=demo), Posters(kernel, options)
    prober, formats = Prober(kernel), Formats(kernel, folders)
    matcher = Matcher(kernel, catalog, options)
    rule_sets = RuleSets(kernel, folders, prober)
    history = History(kernel, folders, moves)
    watch_folders = WatchFolders(kernel, folders, formats)
    artwork = Artwork(kernel.db, folders, catalog, posters, moves)
    artwork.clean_up()
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
    pushed = build_push(kernel, TITLES)
    parts = Components(
        login=Login(kernel),
        options=options,
        catalog=catalog,
        folders=folders,
        moves=moves,
        prober=prober,
        backups=Backups(kernel, folders, moves),
        formats=formats,
        matcher=matcher,
        rule_sets=rule_sets,
        history=history,
        watch_folders=watch_folders,
        posters=posters,
        subtitles=_subtitles(folders, options, moves),
        jobs=jobs,
        retries=CatalogRetries(kernel.db, jobs),
        inbox=Inbox(kernel, jobs),
        pushed=pushed,
        notifier=JobNotifier(kernel, options, pushed.browser_notices),
        statistics=LibraryStatistics(kernel, folders),
    )
    _connect(kernel, parts)
    return parts


def _subtitles(folders: Folders, options: OptionsService, moves: Moves) -> Subtitles:
    subtitles = Subtitles(folders, options, moves)
    subtitles.clean_up()
    return subtitles


def _connect(kernel: Kernel[MediaSettings], parts: Components) -> None:
    """Register what each service wants to know about the others."""
    jobs, notifier = parts.jobs, parts.notifier
    jobs.completion.listeners += [
        notifier.enqueue,
        parts.subtitles.enqueue,
        parts.statistics.job_finished,
    ]
    parts.options.listeners.append(parts.retries.retry_all)
    kernel.conditions.checks.append(folders_check(parts.folders))
    kernel.conditions.notify = notifier.report_problems
    moved = rate_of(lambda: parts.moves.moved)
    kernel.trends.sources += [
        # The chart shows files per minute.
        Source("files", lambda: 60 * moved()),
        Source("queue", lambda: jobs.running),
    ]
