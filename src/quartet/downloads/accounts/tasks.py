import asyncio

from quartet.downloads.accounts.checker import AccountChecks
from quartet.downloads.signal import Signal
from quartet.kernel.supervisor import BackgroundTask

# How often to look for accounts with old results.
CHECK_SECONDS = 3600.0


def account_loop(checks: AccountChecks, wake: Signal) -> BackgroundTask:
    """Check accounts, including those that the previous process did not get to."""

    async def run() -> None:
        while True:
            while waiting := await checks.waiting():
                async with asyncio.TaskGroup() as tasks:
                    for account in waiting:
                        tasks.create_task(checks.check(account))
            await wake.wait(CHECK_SECONDS)

    return BackgroundTask("accounts", run)
