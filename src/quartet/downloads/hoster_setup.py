"""Builds the plugins, the hoster accounts and everything that uses them."""

from dataclasses import dataclass

from quartet.downloads.accounts.checker import AccountChecks
from quartet.downloads.accounts.service import Accounts
from quartet.downloads.accounts.tasks import account_loop
from quartet.downloads.hosters import store
from quartet.downloads.hosters.calls import PluginCalls
from quartet.downloads.hosters.cookie_jars import CookieJars
from quartet.downloads.hosters.crawler import Crawler
from quartet.downloads.hosters.fetch_options import FetchOptions
from quartet.downloads.hosters.hoster_limits import HosterLimits
from quartet.downloads.hosters.link_checker import LinkChecker
from quartet.downloads.hosters.questions import Questions
from quartet.downloads.hosters.resolver import Resolver
from quartet.downloads.hosters.service import Plugins
from quartet.downloads.hosters.supported_domains import SupportedDomains
from quartet.downloads.hosters.tasks import crawl_loop
from quartet.downloads.hosters.web_pages import WebPages
from quartet.downloads.hosters.workers import Workers
from quartet.downloads.queue.scheduler_inbox import SchedulerInbox
from quartet.downloads.server_logins.service import ServerLogins
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.signal import Signal
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.kernel.vault import Vault


@dataclass(frozen=True)
class Hosters:
    plugins: Plugins
    accounts: Accounts
    server_logins: ServerLogins
    checker: LinkChecker
    resolve: Resolver
    crawl: Signal
    crawler: Crawler
    loops: tuple[BackgroundTask, ...]


def build_hosters(
    kernel: Kernel[DownloadsSettings], inbox: SchedulerInbox, check: Signal, questions: Questions
) -> Hosters:
    """`check` wakes the online check; `questions` asks the user."""
    db, crawl, accounts_due = kernel.db, Signal(), Signal()
    vault, workers = Vault(kernel.settings.data / "keys"), Workers()
    plugins = Plugins(kernel.settings.plugin_folder, workers, kernel.events)
    cookie_jars = CookieJars(db, vault)
    calls = PluginCalls(kernel, workers, cookie_jars, questions)
    accounts = Accounts(db, vault, plugins, cookie_jars, accounts_due.set)
    domains, limits = SupportedDomains(calls), HosterLimits()

    async def on_valid(plugin_id: str) -> None:
        """Lift the waiting time of a hoster whose account works again."""
        domains.clear(plugin_id)
        limits.clear(plugin_id)
        await db.write(lambda tx: store.clear_retry_times(tx.conn, plugin_id))
        inbox.wake()

    checks = AccountChecks(db, vault, plugins, calls, on_valid, accounts.clear_cache)
    server_logins = ServerLogins(db)
    pages = WebPages(kernel, server_logins)
    crawler = Crawler(db, plugins, calls, accounts, pages, inbox.wake, check.set, crawl.set)
    options = FetchOptions(plugins, accounts, domains)
    return Hosters(
        plugins=plugins,
        accounts=accounts,
        server_logins=server_logins,
        checker=LinkChecker(kernel, plugins, calls, server_logins),
        resolve=Resolver(
            db, plugins, calls, accounts, options, limits, server_logins, crawl.set, inbox.wake
        ),
        crawl=crawl,
        crawler=crawler,
        loops=(crawl_loop(crawler, crawl), account_loop(checks, accounts_due)),
    )
