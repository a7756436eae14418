"""Everything about hosters, put together."""

from dataclasses import dataclass

from quartet.downloads.accounts.checking import AccountChecks
from quartet.downloads.accounts.service import Accounts
from quartet.downloads.accounts.tasks import account_loop
from quartet.downloads.hosters import store
from quartet.downloads.hosters.ask import Ask
from quartet.downloads.hosters.calls import Calls
from quartet.downloads.hosters.checking import Checker
from quartet.downloads.hosters.crawling import Crawling
from quartet.downloads.hosters.domains import Domains
from quartet.downloads.hosters.jars import Jars
from quartet.downloads.hosters.limits import Limits
from quartet.downloads.hosters.resolving import Resolving
from quartet.downloads.hosters.service import Plugins
from quartet.downloads.hosters.tasks import crawl_loop
from quartet.downloads.hosters.ways import Ways
from quartet.downloads.hosters.workers import Workers
from quartet.downloads.queue.desk import Desk
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.signal import Signal
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.kernel.vault import Vault


@dataclass(frozen=True)
class Hosters:
    plugins: Plugins
    accounts: Accounts
    checker: Checker
    resolve: Resolving
    crawl: Signal
    loops: tuple[BackgroundTask, ...]


def hosters_of(kernel: Kernel[DownloadsSettings], desk: Desk, check: Signal, ask: Ask) -> Hosters:
    """`check` wakes the online check; `ask` puts questions to the user."""
    db, crawl, accounts_due = kernel.db, Signal(), Signal()
    vault, workers = Vault(kernel.settings.data / "keys"), Workers()
    plugins = Plugins(kernel.settings.plugin_folder, workers, kernel.events)
    jars = Jars(db, vault)
    calls = Calls(kernel, workers, jars, ask)
    accounts = Accounts(db, vault, plugins, jars, accounts_due.set)
    domains, limits = Domains(calls), Limits()

    async def works(plugin_id: str) -> None:
        """An account is good again: nobody needs to wait for its hoster."""
        domains.forget(plugin_id)
        limits.lift(plugin_id)
        await db.write(lambda tx: store.release(tx.conn, plugin_id))
        desk.wake()

    checks = AccountChecks(db, vault, plugins, calls, works, accounts.forget)
    crawling = Crawling(db, plugins, calls, accounts, desk.wake, check.set)
    ways = Ways(plugins, accounts, domains)
    return Hosters(
        plugins=plugins,
        accounts=accounts,
        checker=Checker(kernel, plugins, calls),
        resolve=Resolving(db, plugins, calls, accounts, ways, limits, crawl.set, desk.wake),
        crawl=crawl,
        loops=(crawl_loop(crawling, crawl), account_loop(checks, accounts_due)),
    )
