"""Checks of every request, before it reaches a route: Host, Origin and the spelling of the path."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from quartet.kernel.addresses import LOOPBACK_HOSTS, host_name
from quartet.kernel.asgi import Headers, Scope
from quartet.kernel.errors import AppError
from quartet.kernel.settings import Settings

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# A slash, or a character that needs no encoding, as in /api/%61dmin.
_NEEDLESS_ENCODING = re.compile(
    rb"%(2[def]|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])", re.IGNORECASE
)


class RequestChecks:
    def __init__(self, settings: Settings) -> None:
        self._public = urlsplit(settings.public_url or "")
        self.is_public_https = self._public.scheme == "https"
        # Empty if any host is allowed.
        self.known_hosts = _known_hosts(settings.allowed_hosts, self._public.hostname)
        self.own_hosts = _known_hosts(
            (*LOOPBACK_HOSTS, settings.host, *settings.allowed_hosts), self._public.hostname
        )

    def refusal(self, scope: Scope, headers: Headers, *, cross_origin: bool) -> AppError | None:
        try:
            self.check_host(headers)
            if not cross_origin:
                self._check_origin(scope, headers)
            _check_path(scope)
        except AppError as error:
            return error
        return None

    def check_host(self, headers: Headers) -> None:
        if self.known_hosts and host_name(headers.get("host", "")) not in self.known_hosts:
            raise AppError(403, "host_not_allowed")

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        """Reject changes sent by pages of other origins.

        Requests with a bearer token are exempt: they use no cookie, and a page cannot know the
        token, so the sender is a program or a browser extension.
        """
        if scope["type"] == "http" and scope["method"] in SAFE_METHODS:
            return
        if headers.get("authorization", "").lower().startswith("bearer "):
            return
        origin = headers.get("origin")
        if origin is None:
            if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
                raise AppError(403, "unauthorized_origin")
            return
        page = _origin_host(origin)
        if not page or page not in (headers.get("host", "").lower(), self._public.netloc.lower()):
            raise AppError(403, "unauthorized_origin")


def _check_path(scope: Scope) -> None:
    """Reject spellings of a path that the router would accept, such as /api//admin.

    A reverse proxy that protects a path compares its normal spelling only.
    """
    path: str = scope["path"]
    is_api = path.startswith("/api/") and not path.startswith("/api/docs/")
    if "//" in path or (path.endswith("/") and (is_api or path == "/metrics/")):
        raise AppError(404, "not_found")
    raw_path: bytes = scope.get("raw_path") or b""
    if path.startswith(("/api", "/metrics")) and _NEEDLESS_ENCODING.search(raw_path):
        raise AppError(404, "not_found")


def _known_hosts(allowed: Sequence[str], public: str | None) -> frozenset[str]:
    if not allowed:
        return frozenset()
    return frozenset(name.lower() for name in (*allowed, public) if name)


def _origin_host(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""
