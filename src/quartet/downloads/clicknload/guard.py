"""Access rules for the Click'n'Load port, which has no authentication.

Click'n'Load is meant for foreign pages: they post a form to this machine, and the Origin is that
of the page, or `null` if the page hides it. So the Origin does not show whether a request is
legitimate. Instead, the possible damage is limited: links only go to the link grabber, and only
a limited number per minute. What can be checked is

- the client address: only this machine, and networks the operator allows (a container's host);
- the Host header: with DNS rebinding, a foreign page could read our responses as its own, and
  legitimate pages only use these names;
- the scheme of the Origin: a web page, a browser extension or `null`.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from quartet.kernel.addresses import TrustedProxies, is_loopback_host
from quartet.kernel.errors import AppError

_SCHEMES = ("http", "https", "chrome-extension", "moz-extension", "safari-web-extension")
MOST_PER_MINUTE = 60


class ClickNLoadGuard:
    def __init__(
        self,
        clients: Iterable[str] = (),
        hosts: Iterable[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clients = TrustedProxies.parse(clients)
        self._hosts = frozenset(host.lower() for host in hosts)
        self._clock = clock
        self._posted: deque[float] = deque()

    def check(self, peer: str | None, host: str, origin: str | None) -> None:
        if peer is None or not (is_loopback_host(peer) or self._clients.trusts(peer)):
            raise AppError(403, "address_not_allowed")
        name = _host_name(host)
        if not (is_loopback_host(name) or name in self._hosts):
            raise AppError(403, "host_not_allowed")
        if origin not in (None, "null") and origin.partition("://")[0] not in _SCHEMES:
            raise AppError(403, "unauthorized_origin")

    def count(self) -> None:
        """Count a submitted form, so that a page cannot flood the link grabber."""
        now = self._clock()
        while self._posted and now - self._posted[0] > 60:
            self._posted.popleft()
        if len(self._posted) >= MOST_PER_MINUTE:
            raise AppError(429, "too_many_requests", seconds=60)
        self._posted.append(now)


def _host_name(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""
