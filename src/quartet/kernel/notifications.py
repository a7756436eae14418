"""Messages to people by apprise, which knows more than a hundred services. Blocks."""

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

# These would do something on this machine instead of telling somebody.
_LOCAL = frozenset(
    {"dbus", "exec", "file", "glib", "gnome", "kde", "macosx", "qt", "syslog", "windows"}
)

Verdict = Literal["fine", "unknown", "forbidden"]


def check_url(url: str, allowance: AddressPolicy) -> Verdict:
    """Whether apprise knows such an address, and whether its host may be reached."""
    if scheme_of(url) in _LOCAL or not _loaded()().add(url):
        return "unknown"
    permitted = all(allowance.permits(address) for address in _addresses(url, allowance))
    return "fine" if permitted else "forbidden"


def send(url: str, title: str, body: str, allowance: AddressPolicy) -> bool:
    """False when it did not get out. Judge the address first: hosts may have moved.

    From a process of its own, which cannot connect elsewhere: not because of a redirect, nor of
    what else stands in the address, such as the mail server beside its host.
    """
    asked = {"url": url, "title": title, "body": body, "allowPrivate": allowance.given}
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "quartet.kernel.notifications"],
            input=json.dumps(asked).encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SEND_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main() -> None:
    asked = json.load(sys.stdin)
    AddressPolicy(asked["allowPrivate"]).guard_process()
    sender = _loaded()()
    sent = sender.add(asked["url"]) and sender.notify(title=asked["title"], body=asked["body"])
    sys.exit(0 if sent else 1)


def scheme_of(url: str) -> str:
    return url.partition("://")[0].lower()[:40]


def mask_url(url: str) -> str:
    """Where the secret is depends on the service, so that only its name is shown."""
    scheme, mark, rest = url.partition("://")
    tail = rest[-4:] if len(rest) >= 16 else ""
    return f"{scheme}{mark}{MASK}{tail}"


@cache
def _loaded() -> Any:
    """It takes long to load, and few need it."""
    with warnings.catch_warnings():
        # One of its services still uses what Python 3.13 no longer has.
        warnings.simplefilter("ignore", DeprecationWarning)
        import apprise

        apprise.Apprise().add("json://localhost")
    # It would log addresses, and in these are tokens.
    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    return apprise.Apprise


def _addresses(url: str, allowance: AddressPolicy) -> list[Address]:
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


if __name__ == "__main__":
    main()
