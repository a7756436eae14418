"""Sends notifications through Apprise. The functions block."""

import json
import logging
import os
import socket
import subprocess
import sys
import sysconfig
import warnings
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import Any, Literal
from urllib.parse import urlsplit

from quartet.kernel.address_policy import Address, AddressPolicy, literal_address, parse_address

MASK = "…"
SEND_SECONDS = 60.0
# Importing Apprise takes seconds on a busy machine, so the child gets less time to send.
_CHILD_SECONDS = 30.0

# Schemes that act on this machine instead of sending a message.
_LOCAL = frozenset(
    {"blink1", "dbus", "exec", "file", "glib", "gnome", "kde", "macosx", "qt", "syslog", "windows"}
)

Verdict = Literal["fine", "unknown", "forbidden"]


def check_url(
    url: str, allowance: AddressPolicy, schemes: Collection[str] | None = None
) -> Verdict:
    """Check whether Apprise supports the URL and whether its host may be reached.

    With `schemes` all others are unknown.
    """
    found = _schemes(_apprise().instantiate(url))
    if not found or found & _LOCAL or (schemes is not None and not found & set(schemes)):
        return "unknown"
    return "fine" if permits_host(url, allowance) else "forbidden"


def permits_host(url: str, allowance: AddressPolicy) -> bool:
    """Return whether all addresses of the URL's host may be reached."""
    return all(allowance.permits(address) for address in _addresses(url, allowance))


def send(url: str, title: str, body: str, allowance: AddressPolicy) -> bool:
    """Send a notification; return False on failure. Check the URL first, as DNS may have changed.

    Runs in a child process that enforces the address policy for every connection, including
    redirects and additional servers named in the URL.
    """
    return send_all([url], title, body, allowance)[0]


def send_all(urls: Sequence[str], title: str, body: str, allowance: AddressPolicy) -> list[bool]:
    """Send a notification to several URLs at once; return which of them succeeded."""
    message = {"urls": urls, "title": title, "body": body, "allowPrivate": allowance.given}
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "quartet.kernel.notifications"],
            input=json.dumps(message).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SEND_SECONDS,
            check=True,
        )
        return [bool(each) for each in json.loads(done.stdout)]
    except (subprocess.SubprocessError, ValueError):
        return [False] * len(urls)


def main() -> None:
    message = json.load(sys.stdin)
    results, sys.stdout = sys.stdout, sys.stderr
    apprise = _apprise()
    AddressPolicy(message["allowPrivate"]).guard_process()
    _guard_files()

    def notify(url: str) -> bool:
        plugin = apprise.instantiate(url)
        sender = apprise()
        return plugin is not None and bool(
            sender.add(plugin)
            and sender.notify(title=message["title"], body=message["body"], body_format="text")
        )

    with_threads = ThreadPoolExecutor(len(message["urls"]))
    sending = [with_threads.submit(notify, url) for url in message["urls"]]
    wait(sending, timeout=_CHILD_SECONDS)
    sent = [each.done() and each.exception() is None and each.result() for each in sending]
    print(json.dumps(sent), file=results, flush=True)
    # Without waiting for servers that do not answer.
    os._exit(0)


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


def _schemes(plugin: Any) -> set[str]:
    """Return the schemes of a plugin; they differ from that of a URL that Apprise recognises."""
    if plugin is None:
        return set()
    given = (plugin.protocol, plugin.secure_protocol)
    return {
        name for each in given if each for name in ([each] if isinstance(each, str) else [*each])
    }


def _guard_files() -> None:
    """Let this process open nothing but programs and certificates.

    Some services accept the path of a file in the URL, and send its content.
    """
    allowed = (
        *{os.path.realpath(each) + os.sep for each in sysconfig.get_paths().values()},
        *{os.path.realpath(each) + os.sep for each in (sys.prefix, sys.base_prefix)},
        "/etc/ssl/",
        "/etc/pki/",
        "/usr/share/",
        os.devnull,
    )

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], str | bytes):
            return
        if not os.path.realpath(os.fsdecode(arguments[0])).startswith(allowed):
            raise PermissionError("file forbidden")

    sys.addaudithook(hook)


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
