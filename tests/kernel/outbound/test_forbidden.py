"""No name, spelling, redirect or DNS rebinding reaches an address that is not allowed."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient

pytestmark = pytest.mark.anyio

Serve = Callable[[Callable[[web.Request], Awaitable[web.StreamResponse]]], Awaitable[int]]


class Recorder:
    """A server that records its clients."""

    def __init__(self, location: str = "") -> None:
        self.location = location
        self.seen: list[str] = []

    async def __call__(self, request: web.Request) -> web.Response:
        self.seen.append(request.headers["Host"].partition(":")[0])
        if self.location:
            return web.Response(status=302, headers={"Location": self.location})
        return web.Response(text="reached", headers={"Connection": "close"})


async def refusal(client: OutboundClient, url: str) -> AppError:
    with pytest.raises(AppError) as caught:
        await client.get(url)
    return caught.value


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "0x7f.1",
        "0x7f000001",
        "2130706433",
        "017700000001",
        "0",
        "127.0.0.1.",
        "[::ffff:127.0.0.1]",
        "[::1]",
        "[::]",
        "127。0。0。1",
        "①②⑦.0.0.1",
        "localhost",
    ],
)
async def test_loopback_is_rejected_in_every_spelling(serve: Serve, host: str) -> None:
    recorder = Recorder()
    port = await serve(recorder)
    async with OutboundClient() as client:
        error = await refusal(client, f"http://{host}:{port}/")
    assert (error.status, error.code) == (400, "address_forbidden")
    assert recorder.seen == []


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "fd00:ec2::254",
        "10.0.0.1",
        "fe80::1",
        "64:ff9b::7f00:1",
        "127.0.0.1 ::1 10.0.0.1",
    ],
)
async def test_name_resolving_to_private_address_is_rejected(
    resolving: Callable[..., Any], address: str
) -> None:
    async with OutboundClient(resolver=resolving(inside=[address])) as client:
        error = await refusal(client, "http://inside/latest/meta-data?token=secret")
    assert error.code == "address_forbidden"
    assert error.inputs == {"address": "http://inside"}


async def test_name_that_changes_to_private_address_is_rejected(
    serve: Serve, resolving: Callable[..., Any]
) -> None:
    recorder = Recorder()
    port = await serve(recorder)
    # 127.0.0.1 stands for the public address: it is allowed, 127.0.0.2 is not.
    names = resolving(rebind=["127.0.0.1", "127.0.0.2"])
    async with OutboundClient(allow_private=["127.0.0.1"], resolver=names) as client:
        assert (await client.get(f"http://rebind:{port}/")).text == "reached"
        error = await refusal(client, f"http://rebind:{port}/")
    assert error.code == "address_forbidden"
    assert names.asked == ["rebind", "rebind"]
    assert len(recorder.seen) == 1


async def test_only_allowed_address_of_several_is_used(
    serve: Serve, resolving: Callable[..., Any]
) -> None:
    port = await serve(Recorder())
    names = resolving(mixed=["127.0.0.2 ::1 127.0.0.1"])
    async with OutboundClient(allow_private=["127.0.0.1"], resolver=names) as client:
        assert (await client.get(f"http://mixed:{port}/")).text == "reached"


@pytest.mark.parametrize("target", ["http://127.0.0.2:{port}/", "http://inside:{port}/", "//0/"])
async def test_redirect_to_private_address_is_rejected(
    serve: Serve, resolving: Callable[..., Any], target: str
) -> None:
    recorder = Recorder()
    port = await serve(recorder)
    recorder.location = target.format(port=port)
    names = resolving(public=["127.0.0.1"], inside=["127.0.0.3"])
    async with OutboundClient(allow_private=["127.0.0.1"], resolver=names) as client:
        error = await refusal(client, f"http://public:{port}/")
    assert error.code == "address_forbidden"
    assert recorder.seen == ["public"]


async def test_host_allowed_by_name_allows_no_other_host(
    serve: Serve, resolving: Callable[..., Any]
) -> None:
    recorder = Recorder()
    port = await serve(recorder)
    names = resolving(nas=["127.0.0.1"], evil=["127.0.0.1"])
    async with OutboundClient(allow_private=["nas"], resolver=names) as client:
        assert (await client.get(f"http://nas:{port}/")).text == "reached"
        for host in ("evil", "127.0.0.1"):
            assert (await refusal(client, f"http://{host}:{port}/")).code == "address_forbidden"
    assert recorder.seen == ["nas"]


async def test_all_private_addresses_can_be_allowed(serve: Serve) -> None:
    port = await serve(Recorder())
    async with OutboundClient(allow_private=True) as client:
        assert (await client.get(f"http://127.0.0.1:{port}/")).text == "reached"


async def test_proxy_is_used_only_when_configured(
    serve: Serve, resolving: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = Recorder()
    port = await serve(proxy)
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{port}")
    names = resolving(public=["127.0.0.9"])
    async with OutboundClient(resolver=names) as client:
        assert (await refusal(client, "http://public/")).code == "address_forbidden"
    assert proxy.seen == []
    async with OutboundClient(proxy=lambda: f"http://127.0.0.1:{port}") as client:
        assert (await client.get("http://public/")).text == "reached"
        assert (await refusal(client, "http://0x7f.1/")).code == "address_forbidden"
    assert proxy.seen == ["public"]
