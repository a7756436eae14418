"""Messages by apprise, which knows more than a hundred services. Blocks."""

import logging
import socket
from urllib.parse import urlsplit

from quartet.kernel.errors import AppError
from quartet.kernel.reach import Address, Allowance, literal_address, parse_address
from quartet.sync.notices.types import Message

# These would do something on this machine instead of telling somebody.
_LOCAL = frozenset(
    {"dbus", "exec", "file", "glib", "gnome", "kde", "macosx", "qt", "syslog", "windows"}
)


def check(url: str, allowance: Allowance) -> None:
    """Refuses what apprise does not know, and hosts that may not be reached."""
    # Takes long to load, and few need it.
    import apprise

    # Its log would have the whole address in it.
    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    scheme = _scheme(url)
    if scheme in _LOCAL or apprise.Apprise.instantiate(url, suppress_exceptions=True) is None:
        raise AppError(400, "target_invalid", scheme=scheme)
    if not all(allowance.permits(address) for address in _addresses(url, allowance)):
        raise AppError(403, "target_forbidden", scheme=scheme)


def send(url: str, message: Message, allowance: Allowance) -> None:
    import apprise

    check(url, allowance)
    sender = apprise.Apprise()
    sender.add(url)
    if not sender.notify(title=message.title, body=message.body):
        raise AppError(502, "notice_not_sent", scheme=_scheme(url))


def _scheme(url: str) -> str:
    return url.partition("://")[0].lower()[:40]


def _addresses(url: str, allowance: Allowance) -> list[Address]:
    """For many services the host is a token; then there is nothing to look up."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return []
    if not host or allowance.trusts(host):
        return []
    literal = literal_address(host)
    if literal:
        return [literal]
    try:
        found = socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        return []
    return [one for one in (parse_address(str(info[4][0])) for info in found) if one]
