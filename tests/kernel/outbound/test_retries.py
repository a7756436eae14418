from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import anyio
import pytest
from aiohttp import web

from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient

pytestmark = pytest.mark.anyio

Serve = Callable[[Callable[[web.Request], Awaitable[web.StreamResponse]]], Awaitable[int]]


def outbound(**options: Any) -> OutboundClient:
    return OutboundClient(**{"allow_private": ["127.0.0.1"], "backoff": 0.001, **options})


async def fail_first(failures: list[web.Response], request: web.Request) -> web.Response:
    return failures.pop(0) if failures else web.Response(text=request.method)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_temporary_errors_are_retried(serve: Serve, status: int) -> None:
    failures = [web.Response(status=status) for _ in range(2)]
    address = f"http://127.0.0.1:{await serve(lambda r: fail_first(failures, r))}/"
    async with outbound() as client:
        assert (await client.get(address)).text == "GET"
    assert failures == []


async def test_permanent_errors_are_returned(serve: Serve) -> None:
    failures = [web.Response(status=503) for _ in range(5)]
    address = f"http://127.0.0.1:{await serve(lambda r: fail_first(failures, r))}/"
    async with outbound() as client:
        assert (await client.get(address)).status == 503
        assert len(failures) == 2
        assert (await client.post(address)).status == 503
        assert len(failures) == 1


async def test_lost_connection_is_retried_only_for_idempotent_methods(
    serve: Serve,
) -> None:
    hits: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        hits.append(request.method)
        if hits.count(request.method) < 3:
            assert request.transport
            request.transport.abort()
        return web.Response(text="at last")

    address = f"http://127.0.0.1:{await serve(handler)}/"
    async with outbound() as client:
        assert (await client.get(address)).text == "at last"
        with pytest.raises(AppError) as caught:
            await client.post(address)
    assert caught.value.code == "unreachable"
    assert hits == ["GET", "GET", "GET", "POST"]


async def test_truncated_response_is_retried(serve: Serve) -> None:
    hits: list[str] = []

    async def handler(request: web.Request) -> web.StreamResponse:
        hits.append(request.method)
        response = web.StreamResponse(headers={"Content-Length": "4"})
        await response.prepare(request)
        await response.write(b"ha")
        if len(hits) == 1:
            assert request.transport
            request.transport.close()
            return response
        await response.write(b"lf")
        return response

    async with outbound() as client:
        answer = await client.get(f"http://127.0.0.1:{await serve(handler)}/")
    assert answer.text == "half"
    assert len(hits) == 2


@pytest.mark.parametrize("asked", ["number", "date"])
async def test_retry_after_is_respected(serve: Serve, asked: str) -> None:
    before = anyio.current_time()
    # A date has whole seconds, so the wait is between one and two seconds.
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    value = "1" if asked == "number" else later
    failures = [web.Response(status=429, headers={"Retry-After": value})]
    address = f"http://127.0.0.1:{await serve(lambda r: fail_first(failures, r))}/"
    async with outbound() as client:
        assert (await client.get(address)).ok
    assert anyio.current_time() - before > 0.9


async def test_server_that_asks_for_a_long_pause_is_not_asked_again(serve: Serve) -> None:
    failures = [web.Response(status=503, headers={"Retry-After": "600"}) for _ in range(2)]
    address = f"http://127.0.0.1:{await serve(lambda r: fail_first(failures, r))}/"
    async with outbound(longest_wait=30) as client:
        assert (await client.get(address, timeout=3600)).status == 503
    assert len(failures) == 1
    async with outbound(longest_wait=3600) as client:
        # No time for such a wait: return this response instead of a later timeout.
        assert (await client.get(address, timeout=5)).status == 503
    assert not failures


async def test_requests_to_one_host_are_rate_limited(serve: Serve) -> None:
    address = f"http://127.0.0.1:{await serve(lambda r: fail_first([], r))}/"
    before = anyio.current_time()
    async with outbound(per_second=20) as client, anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(client.get, address)
    assert anyio.current_time() - before >= 0.19
