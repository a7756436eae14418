"""Messages to people by apprise, which knows more than a hundred services. Blocks."""

import logging
import socket
import warnings
from functools import cache
from typing import Any, Literal
from urllib.parse import urlsplit

from quartet.kernel.reach import Address, Allowance, literal_address, parse_address

HIDDEN = "…"

# These would do something on this machine instead of telling somebody.
_LOCAL = frozenset(
    {"dbus", "exec", "file", "glib", "gnome", "kde", "macosx", "qt", "syslog", "windows"}
)

Verdict = Literal["fine", "unknown", "forbidden"]


def judge(url: str, allowance: Allowance) -> Verdict:
    """Whether apprise knows such an address, and whether its host may be reached."""
    if scheme_of(url) in _LOCAL or not _loaded()().add(url):
        return "unknown"
    permitted = all(allowance.permits(address) for address in _addresses(url, allowance))
    return "fine" if permitted else "forbidden"


def send(url: str, title: str, body: str) -> bool:
    """False when it did not get out. Judge the address first: hosts may have moved."""
    sender = _loaded()()
    return bool(sender.add(url) and sender.notify(title=title, body=body))


def scheme_of(url: str) -> str:
    return url.partition("://")[0].lower()[:40]


def masked(url: str) -> str:
    """Where the secret is depends on the service, so that only its name is shown."""
    scheme, mark, rest = url.partition("://")
    tail = rest[-4:] if len(rest) >= 16 else ""
    return f"{scheme}{mark}{HIDDEN}{tail}"


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
