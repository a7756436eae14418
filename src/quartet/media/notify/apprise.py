"""Messages to people. Blocks."""

from urllib.parse import urlsplit

from quartet.kernel import notifications
from quartet.kernel.address_policy import AddressPolicy
from quartet.kernel.errors import AppError
from quartet.media.notify.texts import Text


def check(url: str, allowance: AddressPolicy) -> None:
    """Refuses what apprise does not know, and hosts that may not be reached."""
    verdict = notifications.check_url(url, allowance)
    if verdict == "unknown":
        raise AppError(400, "notification_address_invalid", scheme=notifications.scheme_of(url))
    if verdict == "forbidden":
        raise AppError(403, "address_forbidden", address=urlsplit(url).hostname or "")


def send(url: str, text: Text, allowance: AddressPolicy) -> None:
    check(url, allowance)
    if not notifications.send(url, text.title, text.body, allowance):
        raise AppError(502, "notification_failed", scheme=notifications.scheme_of(url))
