"""Builds the account services."""

import time
from typing import NamedTuple

from quartet.kernel.auth import Passwords
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.accounts.account_creation import AccountCreation, end_pending_sign_ups
from quartet.wind.accounts.account_emails import AccountEmails
from quartet.wind.accounts.ceremonies import Ceremonies
from quartet.wind.accounts.invites import Invites
from quartet.wind.accounts.passkeys import Passkeys
from quartet.wind.accounts.passwords import PasswordLogin
from quartet.wind.accounts.profile import Profile
from quartet.wind.accounts.rate_limits import RateLimits
from quartet.wind.accounts.recent_checks import RecentChecks
from quartet.wind.accounts.recovery_codes import RecoveryCodeLogin
from quartet.wind.accounts.recovery_links import PasswordResets
from quartet.wind.accounts.service import Accounts
from quartet.wind.accounts.tasks import account_emails_loop
from quartet.wind.accounts.users import Users
from quartet.wind.address import site_address
from quartet.wind.mail.service import Mail
from quartet.wind.settings import WindSettings
from quartet.wind.site.service import SiteSettings
from quartet.wind.site.types import AccountMode


class AccountServices(NamedTuple):
    accounts: Accounts
    users: Users
    # Injected into handlers by parameter name.
    dependencies: dict[str, object]
    loops: list[BackgroundTask]


def build_accounts(kernel: Kernel[WindSettings], mail: Mail, site: SiteSettings) -> AccountServices:
    async def mode() -> AccountMode:
        return (await site.get()).account_mode

    db, settings = kernel.db, kernel.settings
    accounts, rate_limits = Accounts(db), RateLimits(redis=kernel.redis)
    accounts.sessions.watch_endings(kernel.events)
    account_creation = AccountCreation(db, accounts, mode)
    site.change_hooks.append(end_pending_sign_ups)
    emails = AccountEmails(db, mail, rate_limits, site_address(settings), time.time)
    users, passwords = Users(db, accounts), Passwords()
    ceremonies = Ceremonies(db, accounts, settings)
    recent_checks = RecentChecks(db, accounts, ceremonies, passwords, rate_limits)
    passkeys = Passkeys(db, accounts, account_creation, ceremonies, recent_checks, rate_limits)
    dependencies: dict[str, object] = {
        "accounts": accounts,
        "users": users,
        "invites": Invites(db),
        "recent_checks": recent_checks,
        "passkeys": passkeys,
        "password_login": PasswordLogin(
            db, accounts, account_creation, emails, recent_checks, passwords, rate_limits
        ),
        "password_resets": PasswordResets(
            db, accounts, passkeys, ceremonies, passwords, rate_limits
        ),
        "recovery_code_login": RecoveryCodeLogin(db, accounts, recent_checks, rate_limits),
        "profile": Profile(db, accounts, account_creation, emails, recent_checks, rate_limits),
    }
    return AccountServices(accounts, users, dependencies, [account_emails_loop(emails)])
