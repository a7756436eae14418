"""The accounts of an installation with all they need, from its settings."""

import time
from typing import NamedTuple

from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.accounts.brakes import Brakes
from quartet.wind.accounts.invites import Invites
from quartet.wind.accounts.joining import Joining
from quartet.wind.accounts.letters import Letters
from quartet.wind.accounts.passkeys import Passkeys
from quartet.wind.accounts.passwords import PasswordDoor
from quartet.wind.accounts.profile import Profile
from quartet.wind.accounts.service import Accounts
from quartet.wind.accounts.tasks import letters_loop
from quartet.wind.accounts.users import Users
from quartet.wind.address import site_address
from quartet.wind.mail.service import Mail
from quartet.wind.settings import WindSettings
from quartet.wind.site.service import SiteSettings
from quartet.wind.site.types import AccountMode


class AccountServices(NamedTuple):
    accounts: Accounts
    users: Users
    # What the handlers are given by name.
    dependencies: dict[str, object]
    loops: list[BackgroundTask]


def build_accounts(kernel: Kernel[WindSettings], mail: Mail, site: SiteSettings) -> AccountServices:
    async def mode() -> AccountMode:
        return (await site.get()).account_mode

    db, settings = kernel.db, kernel.settings
    accounts, brakes = Accounts(db), Brakes(redis=kernel.redis)
    accounts.sessions.watch_endings(kernel.events)
    joining = Joining(db, accounts, mode)
    letters = Letters(db, mail, brakes, site_address(settings), time.time)
    users = Users(db, accounts.sessions)
    dependencies: dict[str, object] = {
        "accounts": accounts,
        "users": users,
        "invites": Invites(db),
        "passkeys": Passkeys(db, accounts, joining, brakes, settings),
        "password_door": PasswordDoor(db, accounts, joining, letters, brakes),
        "profile": Profile(db, accounts, joining, letters, brakes),
    }
    return AccountServices(accounts, users, dependencies, [letters_loop(letters)])
