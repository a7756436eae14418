"""The outermost ASGI layer: checks and headers that apply to every request."""

import logging
import random
import time
from collections.abc import (
    Collection,
    Mapping,
)
from functools import partial
from typing import Any

import msgspec

from quartet.kernel.addresses import TrustedProxies
from quartet.kernel.asgi import App, Headers, Message, Receive, Scope, Send, send_json
from quartet.kernel.compression import (
    SMALLEST_BYTES,
    ResponseSender,
    accepted_encoding,
    caching_line,
)
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.fast_paths import FastFile, FastPath, FastPaths, FastVersion
from quartet.kernel.log import logged_path, request_id
from quartet.kernel.metrics import Metrics
from quartet.kernel.request_checks import RequestChecks
from quartet.kernel.settings import Settings

log = logging.getLogger("quartet.requests")

# `quartet doctor` asks with it, through the proxy, what the service sees of the original request.
DOCTOR_HEADER = "x-quartet-doctor"

SECURITY_HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        b"img-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; "
        b"object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
    ),
    (b"referrer-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
]
# Of the pages that other sites may show in a frame.
_FRAMED_HEADERS = [
    (name, value.replace(b"frame-ancestors 'none'", b"frame-ancestors *"))
    for name, value in SECURITY_HEADERS
]
# Any page may read the responses of these paths, because the caller proves itself with a secret in
# the body and cookies are not used. Browsers send a preflight request before such a call.
_CROSS_ORIGIN_HEADERS = [(b"access-control-allow-origin", b"*")]
_PREFLIGHT_HEADERS = [
    *_CROSS_ORIGIN_HEADERS,
    (b"access-control-allow-methods", b"GET, POST"),
    (b"access-control-allow-headers", b"content-type"),
    (b"access-control-allow-private-network", b"true"),
    (b"access-control-max-age", b"600"),
]


class Edge:
    """Wraps the application: forwarded address, base path, Host and Origin checks, headers."""

    def __init__(
        self,
        app: App,
        settings: Settings,
        metrics: Metrics,
        fast_paths: Mapping[str, FastPath] | None = None,
        public_json: Mapping[str, int] | None = None,
        cross_origin_paths: Collection[str] = (),
        framed_paths: Collection[str] = (),
        *,
        compress: bool = False,
        fast_version: FastVersion | None = None,
        fast_files: Mapping[str, FastFile] | None = None,
    ) -> None:
        self.app = app
        self._metrics = metrics
        self._log_requests = settings.log_requests
        self._public_json = public_json or {}
        self._fast_paths = FastPaths(
            fast_paths or {}, self._cache_seconds, fast_version, SECURITY_HEADERS, fast_files
        )
        self._cross_origin_paths = frozenset(cross_origin_paths)
        self._framed_paths = frozenset(framed_paths)
        self._special_paths = self._cross_origin_paths | self._framed_paths
        self._compress = compress
        self._base_path = settings.base_path.rstrip("/")
        self._proxies = TrustedProxies.parse(settings.trusted_proxies)
        self._checks = RequestChecks(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = scope["header"] = _headers(scope)
        scope["own_hosts"] = self._checks.own_hosts
        scope["public_https"] = self._checks.is_public_https
        self._forwarded(scope, headers)
        seen = self._seen(scope, headers) if DOCTOR_HEADER in headers else ()
        scope["path"] = self._below_base_path(scope["path"])
        cross_origin = scope["path"] in self._cross_origin_paths
        security = _FRAMED_HEADERS if scope["path"] in self._framed_paths else SECURITY_HEADERS
        new_id = _new_id()
        request_id.set(new_id)
        started = time.perf_counter()
        disconnected = False
        respond: Send | None = None

        async def read() -> Message:
            nonlocal disconnected
            message = await receive()
            disconnected = message["type"] == "http.disconnect"
            return message

        async def answer(message: Message) -> None:
            nonlocal respond
            if disconnected:
                # An aborted request is not a response, so it does not count in the metrics.
                return
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    (b"x-request-id", new_id.encode()),
                    *security,
                    *seen,
                    *(_CROSS_ORIGIN_HEADERS if cross_origin else ()),
                ]
                self._answered(scope, message["status"], time.perf_counter() - started)
            elif message["type"] == "websocket.accept" and self._log_requests:
                _log_request(scope, 101, time.perf_counter() - started)
            respond = respond or self._response_sender(scope, send)
            await respond(message)

        refusal = self._checks.refusal(scope, headers, cross_origin=cross_origin)
        if refusal is not None:
            await _refuse(scope, receive, answer, refusal)
            return
        if cross_origin and scope.get("method") == "OPTIONS":
            await _answer_preflight(send)
            return
        if "write_response" in scope and not seen:
            self._offer_writing(scope, new_id, started)
        await self.app(scope, read, answer)

    def _offer_writing(self, scope: Scope, new_id: str, started: float) -> None:
        """Let responses be written at once, except on paths with other headers."""
        if scope["path"] not in self._special_paths:
            scope["write_json"] = partial(self._write_json, scope, new_id, started)

    def _write_json(
        self, scope: Scope, new_id: str, started: float, status: int, body: bytes
    ) -> bool:
        """Write a JSON response at once; return False if it has to be sent as ASGI messages."""
        seconds = self._cache_seconds(scope["path"]) if scope["method"] == "GET" else None
        head = _JSON_HEAD
        if seconds is not None or self._compress:
            head = _VARIED_JSON_HEAD
            accepted = scope["header"].get("accept-encoding")
            if accepted and len(body) >= SMALLEST_BYTES and accepted_encoding(accepted):
                return False
            if seconds is not None and status == 200:
                head = b"cache-control: %b\r\n%b" % (caching_line(seconds), head)
        if not scope["write_response"](status, head % (len(body), new_id.encode()), body):
            return False
        self._answered(scope, status, time.perf_counter() - started)
        return True

    def _response_sender(self, scope: Scope, send: Send) -> Send:
        connected = partial(_send_if_connected, send)
        seconds = self._cache_seconds(scope["path"]) if scope.get("method") == "GET" else None
        if seconds is None and not self._compress:
            return connected
        accepted = accepted_encoding(scope["header"].get("accept-encoding", ""))
        return ResponseSender(connected, accepted, seconds)

    def _cache_seconds(self, path: str) -> int | None:
        """Return None if the path is not one of the public ones."""
        if not self._public_json:
            return None
        known = (each for each in self._public_json if path.startswith(each))
        longest = max(known, key=len, default=None)
        return None if longest is None else self._public_json[longest]

    def immediate_response(self, scope: Mapping[str, Any]) -> tuple[bytes, bytes] | None:
        """Return headers and body of a response that is available without waiting.

        This avoids the cost of a task for very frequent requests.
        """
        path = self._below_base_path(scope["path"])
        if path not in self._fast_paths or scope["method"] != "GET":
            return None
        started = time.perf_counter()
        try:
            if self._checks.known_hosts:
                self._checks.check_host(_headers(scope))
            answer = self._fast_paths.answer(path, scope)
        except Exception:  # noqa: BLE001 - the normal path raises it again and reports it
            return None
        if answer is None:
            return None
        new_id = _new_id()
        request_id.set(new_id)
        self._answered(scope, 200, time.perf_counter() - started)
        return answer.head % (len(answer.body), new_id.encode()), answer.body

    def _answered(self, scope: Mapping[str, Any], status: int, seconds: float) -> None:
        self._metrics.answered(status, seconds)
        if self._log_requests:
            _log_request(scope, status, seconds)

    def _forwarded(self, scope: Scope, headers: Headers) -> None:
        client = scope["client"]
        # The address of the TCP peer, needed to decide whether a trusted proxy sent the request.
        scope["peer"] = client[0] if client else None
        forwarded = headers.get("x-forwarded-for")
        scheme = headers.get("x-forwarded-proto")
        # Most requests have neither header, and comparing networks takes longer than all checks.
        if not (forwarded or scheme) or client is None or not self._proxies.trusts(client[0]):
            return
        if forwarded:
            scope["client"] = (self._proxies.client_of(client[0], forwarded), 0)
        proto = (scheme or "").split(",")[0].strip()
        if proto in ("http", "https"):
            secure = {"http": "https", "websocket": "wss"}
            plain = {"http": "http", "websocket": "ws"}
            scope["scheme"] = (secure if proto == "https" else plain)[scope["type"]]

    def _seen(self, scope: Scope, headers: Headers) -> list[tuple[bytes, bytes]]:
        sent = headers.keys() >= {"x-forwarded-for", "x-forwarded-proto"}
        state = "trusted" if self._proxies.trusts(scope["peer"]) else "untrusted"
        text = f"{state if sent else 'missing'} {scope.get('scheme')}"
        return [(DOCTOR_HEADER.encode(), text.encode())]

    def _below_base_path(self, path: str) -> str:
        """Strip the base path if the proxy has not done so."""
        base = self._base_path
        if base and (path == base or path.startswith(f"{base}/")):
            return path[len(base) :] or "/"
        return path


def _log_request(scope: Mapping[str, Any], status: int, seconds: float) -> None:
    """Log a request without its query string, which can contain secrets."""
    log.info(
        "%s %s status=%d ms=%.1f",
        scope.get("method", "WEBSOCKET"),
        logged_path(scope),
        status,
        seconds * 1000,
    )


_JSON_HEAD = (
    b"content-type: application/json\r\ncontent-length: %d\r\nx-request-id: %b\r\n"
    + b"".join(b"%b: %b\r\n" % each for each in SECURITY_HEADERS)
    + b"\r\n"
)
_VARIED_JSON_HEAD = b"vary: accept-encoding\r\n" + _JSON_HEAD


def _new_id() -> str:
    """Return an id for finding a request in the log; it need not be unpredictable."""
    return f"{random.getrandbits(64):016x}"


async def _send_if_connected(send: Send, message: Message) -> None:
    """Ignore sends to a disconnected client; uvloop raises before uvicorn notices."""
    try:
        await send(message)
    except RuntimeError as error:
        if "the handler is closed" not in str(error):
            raise


def _headers(scope: Mapping[str, Any]) -> Headers:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


async def _answer_preflight(send: Send) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": _PREFLIGHT_HEADERS})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _refuse(scope: Scope, receive: Receive, send: Send, error: AppError) -> None:
    if scope["type"] == "websocket":
        # Closing before accepting makes the server respond with HTTP 403.
        await receive()
        await send({"type": "websocket.close", "code": 4403, "reason": error.code})
        return
    await send_json(send, error.status, msgspec.json.encode(Problem(error.code, error.inputs)))
