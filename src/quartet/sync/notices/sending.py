"""Messages to people. Blocks."""

from quartet.kernel import notices
from quartet.kernel.errors import AppError
from quartet.kernel.reach import Allowance
from quartet.sync.notices.types import Message


def check(url: str, allowance: Allowance) -> None:
    """Refuses what apprise does not know, and hosts that may not be reached."""
    verdict, scheme = notices.judge(url, allowance), notices.scheme_of(url)
    if verdict == "unknown":
        raise AppError(400, "target_invalid", scheme=scheme)
    if verdict == "forbidden":
        raise AppError(403, "target_forbidden", scheme=scheme)


def send(url: str, message: Message, allowance: Allowance) -> None:
    check(url, allowance)
    if not notices.send(url, message.title, message.body, allowance):
        raise AppError(502, "notice_not_sent", scheme=notices.scheme_of(url))
