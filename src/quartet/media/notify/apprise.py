"""Sends notifications through Apprise. Blocks."""

from urllib.parse import urlsplit

from quartet.kernel import notifications
from quartet.kernel.address_policy import AddressPolicy
from quartet.kernel.errors import AppError
from quartet.media.notify.messages import MessageText


def check(url: str, allowance: AddressPolicy) -> None:
    """Raise for addresses that Apprise does not support, and for hosts that are not allowed."""
    verdict = notifications.check_url(url, allowance)
    if verdict == "unknown":
        raise AppError(400, "notification_address_invalid", scheme=notifications.scheme_of(url))
    if verdict == "forbidden":
        raise AppError(403, "address_forbidden", address=urlsplit(url).hostname or "")


def send(url: str, text: MessageText, allowance: AddressPolicy) -> None:
    check(url, allowance)
    if not notifications.send(url, text.title, text.body, allowance):
        raise AppError(502, "notification_failed", scheme=notifications.scheme_of(url))
