from typing import Annotated

import msgspec
from msgspec import Meta

from quartet.wind.alarms.types import AlarmReport
from quartet.wind.push.types import Counts


class AdminAlarms(msgspec.Struct, frozen=True, rename="camel"):
    """`mail_ready` says whether a mail server is set up."""

    report: AlarmReport
    push: Counts
    mail_ready: bool


class TestMail(msgspec.Struct, frozen=True, omit_defaults=True):
    """To one's own address if no other is named."""

    to: Annotated[str, Meta(max_length=254)] | None = None


class TestMailSent(msgspec.Struct, frozen=True):
    to: str
