"""Sends notifications through Apprise. The functions block."""

import json
import logging
import socket
import subprocess
import sys
import warnings
from functools import cache
from typing import Any, Literal
from urllib.parse import urlsplit

from quartet.kernel.address_policy import Address, AddressPolicy, literal_address, parse_address

MASK = "…"
SEND_SECONDS = 60.0

# Schemes that act on this machine instead of sending a message.
_LOCAL = frozenset(
    {"dbus", "exec", "file", "glib", "gnome", "kde", "macosx", "qt", "syslog", "windows"}
)

Verdict = Literal["fine", "unknown", "forbidden"]


def check_url(url: str, allowance: AddressPolicy) -> Verdict:
    """Check whether Apprise supports the URL and whether its host may be reached."""
    if scheme_of(url) in _LOCAL or not _apprise()().add(url):
        return "unknown"
    permitted = all(allowance.permits(address) for address in _addresses(url, allowance))
    return "fine" if permitted else "forbidden"


def send(url: str, title: str, body: str, allowance: AddressPolicy) -> bool:
    """Send a notification; return False on failure. Check the URL first, as DNS may have changed.

    Runs in a child process that enforces the address policy for every connection, including
    redirects and additional servers named in the URL.
    """
    message = {"url": url, "title": title, "body": body, "allowPrivate": allowance.given}
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "quartet.kernel.notifications"],
            input=json.dumps(message).encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SEND_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main() -> None:
    message = json.load(sys.stdin)
    AddressPolicy(message["allowPrivate"]).guard_process()
    sender = _apprise()()
    sent = sender.add(message["url"]) and sender.notify(
        title=message["title"], body=message["body"]
    )
    sys.exit(0 if sent else 1)


def scheme_of(url: str) -> str:
    return url.partition("://")[0].lower()[:40]


def mask_url(url: str) -> str:
    """Mask a notification URL: the position of the secret depends on the service."""
    scheme, mark, rest = url.partition("://")
    tail = rest[-4:] if len(rest) >= 16 else ""
    return f"{scheme}{mark}{MASK}{tail}"


@cache
def _apprise() -> Any:
    """Import Apprise on demand, because it loads slowly."""
    with warnings.catch_warnings():
        # One Apprise plugin uses an API that Python 3.13 removed.
        warnings.simplefilter("ignore", DeprecationWarning)
        import apprise

        apprise.Apprise().add("json://localhost")
    # Apprise logs URLs, which contain tokens.
    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    return apprise.Apprise


def _addresses(url: str, allowance: AddressPolicy) -> list[Address]:
    """Resolve the host of the URL. For many services it is a token and does not resolve."""
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


if __name__ == "__main__":
    main()
