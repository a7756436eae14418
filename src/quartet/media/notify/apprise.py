"""Messages to people. Blocks."""

from urllib.parse import urlsplit

from quartet.kernel import notices
from quartet.kernel.errors import AppError
from quartet.kernel.reach import Allowance
from quartet.media.notify.texts import Text


def check(url: str, allowance: Allowance) -> None:
    """Refuses what apprise does not know, and hosts that may not be reached."""
    verdict = notices.judge(url, allowance)
    if verdict == "unknown":
        raise AppError(400, "notification_address_invalid", scheme=notices.scheme_of(url))
    if verdict == "forbidden":
        raise AppError(403, "address_forbidden", address=urlsplit(url).hostname or "")


def send(url: str, text: Text, allowance: Allowance) -> None:
    check(url, allowance)
    if not notices.send(url, text.title, text.body, allowance):
        raise AppError(502, "notification_failed", scheme=notices.scheme_of(url))
