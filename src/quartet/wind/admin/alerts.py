"""Admin page: state of alerts and their messages, and test mails."""

from typing import Annotated

import msgspec
from msgspec import Meta

from quartet.kernel.auth import Throttle
from quartet.kernel.errors import AppError
from quartet.kernel.push.service import Push
from quartet.kernel.push.types import Counts
from quartet.wind.accounts.users import Users
from quartet.wind.alerts.service import Alerts
from quartet.wind.alerts.types import AlarmReport
from quartet.wind.languages import Language
from quartet.wind.mail.address import tidy_email
from quartet.wind.mail.service import Mail

TEST_MAIL: dict[Language, tuple[str, str]] = {
    "en": (
        "Test mail",
        "Hello,\n\nthis mail confirms that the wind site can send mails.\n",
    ),
    "de": (
        "Testmail",
        "Hallo,\n\ndiese Mail zeigt, dass die Windseite Mails verschicken kann.\n",
    ),
}
_MAILS = 5
_SECONDS = 600.0


class AdminAlarms(msgspec.Struct, frozen=True, rename="camel"):
    """`mail_ready` says whether a mail server is configured."""

    report: AlarmReport
    push: Counts
    mail_ready: bool


class TestMail(msgspec.Struct, frozen=True, omit_defaults=True):
    """Without `to`, the mail goes to the admin's own address."""

    to: Annotated[str, Meta(max_length=254)] | None = None


class TestMailSent(msgspec.Struct, frozen=True):
    to: str


class AlertAdmin:
    def __init__(self, alarms: Alerts, push: Push, mail: Mail, users: Users) -> None:
        self._alarms = alarms
        self._push = push
        self._mail = mail
        self._users = users
        self._throttle = Throttle(_MAILS, _SECONDS)

    async def report(self) -> AdminAlarms:
        return AdminAlarms(await self._alarms.report(), await self._push.counts(), self._mail.ready)

    async def send_test_mail(self, admin: int, to: str | None) -> str:
        """Send a test mail and wait for the mail server, so that its error can be shown."""
        if not self._mail.ready:
            raise AppError(409, "mail_not_set_up")
        me = await self._users.get(admin)
        if to is None and me.email is None:
            raise AppError(409, "email_needed")
        address = tidy_email(to or me.email or "")
        await self._throttle.count_request(str(admin))
        subject, text = TEST_MAIL[me.language]
        await self._mail.send(address, subject, text)
        return address
