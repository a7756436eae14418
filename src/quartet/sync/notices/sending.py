"""Sends notifications; these functions block."""

from quartet.kernel import notifications
from quartet.kernel.address_policy import AddressPolicy
from quartet.kernel.errors import AppError
from quartet.sync.notices.types import Message


def check(url: str, allowance: AddressPolicy) -> None:
    """Reject URLs that Apprise does not support and hosts that must not be contacted."""
    verdict, scheme = notifications.check_url(url, allowance), notifications.scheme_of(url)
    if verdict == "unknown":
        raise AppError(400, "target_invalid", scheme=scheme)
    if verdict == "forbidden":
        raise AppError(403, "target_forbidden", scheme=scheme)


def send(url: str, message: Message, allowance: AddressPolicy) -> None:
    check(url, allowance)
    if not notifications.send(url, message.title, message.body, allowance):
        raise AppError(502, "notice_not_sent", scheme=notifications.scheme_of(url))
