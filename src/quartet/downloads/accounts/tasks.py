import asyncio

from quartet.downloads.accounts.checking import AccountChecks
from quartet.downloads.signal import Signal
from quartet.kernel.supervisor import BackgroundTask

# How often it is looked for accounts that were not checked for long.
LOOK_SECONDS = 3600.0


def account_loop(checks: AccountChecks, wake: Signal) -> BackgroundTask:
    """Also what was to be checked when the process ended."""

    async def run() -> None:
        while True:
            while waiting := await checks.waiting():
                async with asyncio.TaskGroup() as tasks:
                    for account in waiting:
                        tasks.create_task(checks.check(account))
            await wake.wait(LOOK_SECONDS)

    return BackgroundTask("accounts", run)
