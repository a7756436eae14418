"""Messages by apprise, which knows more than a hundred services. Blocks."""

import logging
import socket
import warnings
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from quartet.kernel.errors import AppError
from quartet.kernel.reach import Address, Allowance, literal_address, parse_address
from quartet.media.notify.texts import Text

# These would do something on this machine instead of telling somebody.
_LOCAL = frozenset(
    {"dbus", "glib", "gnome", "kde", "macosx", "qt", "syslog", "windows", "file", "exec"}
)


def check(url: str, allowance: Allowance) -> None:
    """Refuses what apprise does not know, and hosts that may not be reached."""
    scheme = url.partition("://")[0].lower()
    if scheme in _LOCAL or not _loaded()().add(url):
        raise AppError(400, "notification_address_invalid", scheme=scheme[:40])
    _check_host(url, allowance)


def send(url: str, text: Text, allowance: Allowance) -> None:
    check(url, allowance)
    sender = _loaded()()
    sender.add(url)
    if not sender.notify(title=text.title, body=text.body):
        raise AppError(502, "notification_failed", scheme=url.partition("://")[0][:40])


@cache
def _loaded() -> Any:
    """It takes long to load, and few need it."""
    with warnings.catch_warnings():
        # One of its services still uses what Python 3.13 will not have.
        warnings.simplefilter("ignore", DeprecationWarning)
        import apprise

        apprise.Apprise().add("json://localhost")
    # It would log addresses, and in these are tokens.
    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    return apprise.Apprise


def _check_host(url: str, allowance: Allowance) -> None:
    """For many services this is a token and no host; then there is nothing to look up."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return
    if not host or allowance.trusts(host):
        return
    for address in _addresses(host):
        if not allowance.permits(address):
            raise AppError(403, "address_forbidden", address=host)


def _addresses(host: str) -> list[Address]:
    literal = literal_address(host)
    if literal:
        return [literal]
    try:
        found = socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        return []
    return [one for one in (parse_address(str(info[4][0])) for info in found) if one]
