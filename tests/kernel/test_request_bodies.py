"""Limits on the size, duration and rate of request bodies, and aborted requests."""

import asyncio
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from litestar import Litestar

from quartet.kernel import http_protocol
from quartet.kernel.error_responses import MAX_BODY_BYTES, MAX_PUBLIC_BODY_BYTES
from quartet.kernel.http_protocol import BodyTimer
from quartet.services import service
from tests.client import NO_AUTHORITIES, quiet_client_of
from tests.kernel.raw_http import POST, RawConnection
from tests.process import Running, quartet_serve

TOKEN = "0123456789abcdef"
HEADERS = {"authorization": f"Bearer {TOKEN}"}
LOGIN = (
    b"POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 60000\r\n\r\n"
)
HALF = b'{"token": "'.ljust(30_000, b"x")
LOGINS = {
    "downloads": "/api/auth/login",
    "sync": "/api/login",
    "media": "/api/login",
    "wind": "/api/auth/signin/password",
}


@pytest.fixture
def short_body_timeouts(monkeypatch: pytest.MonkeyPatch, short_timeouts: None) -> None:
    monkeypatch.setattr(http_protocol, "BODY_GRACE_SECONDS", 0.3)
    monkeypatch.setattr(http_protocol, "BODY_WINDOW_SECONDS", 0.15)
    monkeypatch.setattr(http_protocol, "BODY_WINDOW_BYTES", 1000)


@pytest.mark.anyio
@pytest.mark.usefixtures("short_body_timeouts")
@pytest.mark.parametrize("sent", [0, 5_000, 150_000])
async def test_stalled_body_is_disconnected(port: int, sent: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(POST % 200_000 + b"x" * sent)
    assert (await RawConnection(reader, writer).rest()).startswith(b"HTTP/1.1 408 ")
    writer.close()


@pytest.mark.anyio
@pytest.mark.usefixtures("short_body_timeouts")
async def test_slow_drip_of_body_is_disconnected(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(POST % 200_000)

    async def drip() -> None:
        while True:
            writer.write(b"x")
            await asyncio.sleep(0.02)

    dripping = asyncio.create_task(drip())
    # Bytes that arrive after the close cause a reset.
    with suppress(ConnectionResetError):
        assert (await RawConnection(reader, writer).rest()).startswith(b"HTTP/1.1 408 ")
    dripping.cancel()
    writer.close()


@pytest.mark.anyio
@pytest.mark.usefixtures("short_body_timeouts")
async def test_steady_body_is_accepted(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Wide enough for a busy machine: all bytes may arrive in a single window.
    monkeypatch.setattr(http_protocol, "BODY_GRACE_SECONDS", 10)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(POST % 200_000)
    for _ in range(50):
        writer.write(b"x" * 4_000)
        await asyncio.sleep(0.02)
    assert await RawConnection(reader, writer).answer() == b"200000"
    writer.close()


def test_body_has_deadline_even_if_steady() -> None:
    body = BodyTimer()
    for second in range(900):
        body.bytes += 2_000
        assert not body.is_late(second)
    assert body.is_late(902)


@pytest.mark.anyio
@pytest.mark.parametrize("name", LOGINS)
async def test_login_accepts_at_most_64_kib(tmp_path: Path, name: str) -> None:
    headers = {"content-type": "application/json"}
    async with quiet_client_of(service(name), tmp_path) as client:
        answer = await client.post(
            LOGINS[name], content=b" " * (MAX_PUBLIC_BODY_BYTES + 1), headers=headers
        )
        assert (answer.status_code, answer.json()) == (
            413,
            {"code": "too_large", "inputs": {"limit": MAX_PUBLIC_BODY_BYTES}},
        )


@pytest.mark.anyio
@pytest.mark.parametrize("name", LOGINS)
async def test_every_public_endpoint_accepts_at_most_64_kib(tmp_path: Path, name: str) -> None:
    async with quiet_client_of(service(name), tmp_path) as client:
        app = client.started.app.app
        assert isinstance(app, Litestar)
        public = [
            handler
            for route in app.routes
            for handler in getattr(route, "route_handlers", ())
            if handler.opt.get("public")
            and not handler.opt.get("own_body_limit")
            and {"POST", "PUT", "PATCH"} & handler.http_methods
        ]
        assert public
        for handler in public:
            assert handler.resolve_request_max_body_size() == MAX_PUBLIC_BODY_BYTES, handler


@pytest.mark.anyio
async def test_other_endpoints_accept_8_mib(tmp_path: Path) -> None:
    headers = {**HEADERS, "content-type": "application/json"}
    async with quiet_client_of(service("media"), tmp_path, token=TOKEN) as client:
        for size, status in ((MAX_BODY_BYTES, 400), (MAX_BODY_BYTES + 1, 413)):
            answer = await client.post("/api/jobs/manual", content=b" " * size, headers=headers)
            assert answer.status_code == status


@pytest.fixture
def media(tmp_path: Path) -> Iterator[Running]:
    with quartet_serve(tmp_path, services=("media",), APP_TOKEN=TOKEN) as running:
        yield running


def test_aborted_requests_are_neither_logged_nor_counted_as_errors(
    media: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(100):
        with connect(media) as half:
            half.sendall(LOGIN + HALF)
            half.shutdown(socket.SHUT_WR)
            assert half.recv(100) == b""
    assert statuses(media)["5xx"] == 0
    media.process.terminate()
    media.process.wait(timeout=60)
    assert "Traceback" not in capsys.readouterr().err


def test_300_stalled_bodies_are_closed_and_their_memory_is_released(media: Running) -> None:
    before = memory(media)
    with ExitStack() as stack:
        clients = [stack.enter_context(connect(media)) for _ in range(300)]
        for client in clients:
            client.sendall(LOGIN + HALF.ljust(59_999, b"x"))
        started = time.monotonic()
        assert memory(media) - before > 15_000_000
        for client in clients:
            client.settimeout(120)
            assert client.recv(100).startswith(b"HTTP/1.1 408 ")
        assert time.monotonic() - started > 25
        deadline = time.monotonic() + 60
        while memory(media) - before > 10_000_000:
            assert time.monotonic() < deadline
    assert statuses(media)["5xx"] == 0


def connect(media: Running) -> socket.socket:
    return socket.create_connection(("127.0.0.1", urlsplit(media.addresses["media"]).port or 0))


def memory(media: Running) -> int:
    answer = httpx.get(
        f"{media.addresses['media']}/api/system", headers=HEADERS, verify=NO_AUTHORITIES
    )
    return int(answer.json()["memory"])


def statuses(media: Running) -> dict[str, float]:
    """Return the number of responses by status class."""
    text = httpx.get(
        f"{media.addresses['media']}/metrics", headers=HEADERS, verify=NO_AUTHORITIES
    ).text
    found = re.findall(r'quartet_http_answers_total\{status="(\dxx)"\} (\S+)', text)
    return {status: float(number) for status, number in found}
