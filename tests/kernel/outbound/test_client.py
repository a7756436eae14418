import gzip
import tracemalloc
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import msgspec
import pytest
from aiohttp import web

from quartet import __version__
from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient

pytestmark = pytest.mark.anyio

Serve = Callable[[Callable[[web.Request], Awaitable[web.StreamResponse]]], Awaitable[int]]


def outbound(**options: Any) -> OutboundClient:
    return OutboundClient(**{"allow_private": ["127.0.0.1"], "backoff": 0.001, **options})


async def refusal(asked: Awaitable[object]) -> tuple[int, str, dict[str, object]]:
    with pytest.raises(AppError) as caught:
        await asked
    return caught.value.status, caught.value.code, caught.value.inputs


async def echo(request: web.Request) -> web.Response:
    return web.json_response(
        {
            "method": request.method,
            "path": request.raw_path,
            "headers": {name.lower(): value for name, value in request.headers.items()},
            "body": await request.text(),
        }
    )


class Thing(msgspec.Struct):
    method: str


async def test_response_has_status_headers_url_and_body(serve: Serve) -> None:
    port = await serve(echo)
    async with outbound() as client:
        answer = await client.get(
            f"http://127.0.0.1:{port}/a", query={"q": "ä b"}, headers={"X-Own": "1"}
        )
    assert (answer.status, answer.ok) == (200, True)
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.url == f"http://127.0.0.1:{port}/a?q=%C3%A4+b"
    seen = answer.json()
    assert seen["headers"]["user-agent"] == f"Quartet/{__version__}"
    assert seen["headers"]["x-own"] == "1"
    assert answer.json(Thing) == Thing("GET")
    assert "q=" not in repr(answer)


async def test_body_that_trickles_without_end_is_given_up(serve: Serve) -> None:
    async def trickle(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse()
        await answer.prepare(request)
        while True:
            await answer.write(b"x")
            await anyio.sleep(0.02)

    address = f"http://127.0.0.1:{await serve(trickle)}"
    async with (
        outbound() as client,
        client.stream(address, max_bytes=1000, body_seconds=0.2) as answer,
    ):

        async def read() -> None:
            async for _ in answer.chunks():
                pass

        assert await refusal(read()) == (504, "timed_out", {"address": address})


async def test_body_is_sent_as_json_form_or_bytes(serve: Serve) -> None:
    address = f"http://127.0.0.1:{await serve(echo)}/"
    async with outbound() as client:
        json = (await client.post(address, json={"a": 1})).json()
        form = (await client.post(address, form={"a": "ä&"})).json()
        raw = (await client.request("put", address, body=b"raw")).json()
    assert (json["body"], json["headers"]["content-type"]) == ('{"a":1}', "application/json")
    assert form["body"] == "a=%C3%A4%26"
    assert (raw["method"], raw["body"]) == ("PUT", "raw")


async def test_text_uses_declared_charset(serve: Serve) -> None:
    async def handler(request: web.Request) -> web.Response:
        kind = f"text/plain; charset={request.query['charset']}"
        return web.Response(body="ü".encode("latin-1"), headers={"Content-Type": kind})

    address = f"http://127.0.0.1:{await serve(handler)}/"
    async with outbound() as client:
        assert (await client.get(address, query={"charset": "latin-1"})).text == "ü"
        # Unknown, no charset of texts, and one whose time grows with the square of the length.
        for odd in ("nonsense", "zip", "undefined", "idna", "punycode"):
            assert (await client.get(address, query={"charset": odd})).text == "\ufffd"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "example.org",
        "//example.org",
        "ftp://example.org/",
        "file:///etc/passwd",
        "http://",
        "http:///path",
        "http://user:secret@example.org/",
        "http://user@example.org/",
        "http://exa mple.org/",
        "http://example.org:99999/",
        "http://example.org\\@evil.org/",
        "http://" + "a" * 70 + ".org/",
    ],
)
async def test_invalid_urls_are_rejected_and_not_echoed(address: str) -> None:
    async with outbound() as client:
        assert await refusal(client.get(address)) == (400, "bad_address", {})


async def test_unexpected_json_is_bad_answer(serve: Serve) -> None:
    port = await serve(echo)
    async with outbound() as client:
        answer = await client.get(f"http://127.0.0.1:{port}/?token=secret")
    with pytest.raises(AppError) as caught:
        answer.json(int)
    assert caught.value.inputs == {"address": f"http://127.0.0.1:{port}"}
    assert (caught.value.status, caught.value.code) == (502, "bad_answer")


async def test_connection_refused_is_unreachable(
    serve: Serve, resolving: Callable[..., Any]
) -> None:
    async with outbound(resolver=resolving(gone=["127.0.0.1"])) as client:
        for host in ("gone:1", "nowhere:80"):
            status, code, inputs = await refusal(client.get(f"http://{host}/?key=secret"))
            assert (status, code) == (502, "unreachable")
            assert inputs == {"address": f"http://{host}".removesuffix(":80")}


@pytest.mark.parametrize(
    "sent",
    [
        b"this is no HTTP\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\n\r\nplain",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ncut off",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Encoding: br\r\n\r\nplain",
    ],
)
async def test_broken_responses_have_error_codes(sent: bytes) -> None:
    async def answer(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            await stream.receive()
            await stream.send(sent)

    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
        anyio.create_task_group() as tasks,
        outbound() as client,
    ):
        tasks.start_soon(listener.serve, answer)
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
        status, code, _ = await refusal(client.get(f"http://127.0.0.1:{port}/"))
        assert (status, code) == (502, "bad_answer")
        tasks.cancel_scope.cancel()


async def test_server_that_never_responds_times_out(serve: Serve) -> None:
    never = anyio.Event()

    async def handler(_: web.Request) -> web.Response:
        await never.wait()
        return web.Response()

    address = f"http://127.0.0.1:{await serve(handler)}/"
    async with outbound() as client:
        assert (await refusal(client.get(address, timeout=0.1)))[:2] == (504, "timed_out")
    async with outbound(read_timeout=0.05, retries=1) as client:
        assert (await refusal(client.get(address)))[:2] == (504, "timed_out")
        with pytest.raises(AppError) as caught:
            async with client.stream(address, max_bytes=10):
                pass
        assert caught.value.code == "timed_out"


async def test_large_response_is_rejected(serve: Serve) -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        if request.path == "/declared" or request.method == "HEAD":
            return web.Response(body=b"x" * 1001)
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"x" * 1001)
        return response

    port = await serve(handler)
    origin = f"http://127.0.0.1:{port}"
    async with outbound(max_bytes=1000) as client:
        for path in ("/declared", "/chunked"):
            told = await refusal(client.get(origin + path))
            assert told == (502, "too_large", {"address": origin, "limit": 1000})
            assert len((await client.get(origin + path, max_bytes=1001)).body) == 1001
        assert (await client.request("HEAD", origin)).headers["Content-Length"] == "1001"


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
@pytest.mark.parametrize("streamed", [False, True])
async def test_decompression_bomb_is_rejected(serve: Serve, encoding: str, streamed: bool) -> None:
    packer = zlib.compressobj(9, wbits=31 if encoding == "gzip" else 15)
    zeros = bytes(1024 * 1024)
    bomb = b"".join([packer.compress(zeros) for _ in range(100)]) + packer.flush()

    async def handler(_: web.Request) -> web.Response:
        return web.Response(body=bomb, headers={"Content-Encoding": encoding})

    address = f"http://127.0.0.1:{await serve(handler)}/"
    async with outbound() as client:
        tracemalloc.start()
        try:
            with pytest.raises(AppError) as caught:
                if streamed:
                    async with client.stream(address, max_bytes=1_000_000) as stream:
                        async for _ in stream.chunks():
                            pass
                else:
                    await client.get(address, max_bytes=1_000_000)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert caught.value.code == "too_large"
    assert peak < 10_000_000


async def test_compressed_response_is_decompressed(serve: Serve) -> None:
    async def handler(_: web.Request) -> web.Response:
        packed = gzip.compress(b"x" * 5000)
        return web.Response(body=packed, headers={"Content-Encoding": "gzip"})

    async with outbound(max_bytes=5000) as client:
        answer = await client.get(f"http://127.0.0.1:{await serve(handler)}/")
    assert answer.body == b"x" * 5000


async def test_stream_yields_body_in_chunks(serve: Serve) -> None:
    go_on = anyio.Event()

    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"X-Kind": "big"})
        await response.prepare(request)
        await response.write(b"first")
        await go_on.wait()
        await response.write(b"second")
        return response

    address = f"http://127.0.0.1:{await serve(handler)}/"
    seen = []
    async with outbound() as client, client.stream(address, max_bytes=100) as stream:
        assert (stream.status, stream.headers["X-Kind"], stream.url) == (200, "big", address)
        async for chunk in stream.chunks():
            seen.append(chunk)
            go_on.set()
    assert seen == [b"first", b"second"]


async def test_stream_can_be_left_early(serve: Serve) -> None:
    async def handler(_: web.Request) -> web.Response:
        return web.Response(body=b"x" * 5_000_000)

    address = f"http://127.0.0.1:{await serve(handler)}/"
    async with outbound() as client:
        async with client.stream(address, max_bytes=10_000_000) as stream:
            assert await anext(stream.chunks())
        assert (await client.get(address)).ok


async def test_connections_per_host_are_limited(serve: Serve) -> None:
    running = most = 0

    async def handler(_: web.Request) -> web.Response:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await anyio.sleep(0.01)
        running -= 1
        return web.Response()

    address = f"http://127.0.0.1:{await serve(handler)}/"
    async with outbound(per_host=2) as client, anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(client.get, address)
    assert most == 2


async def test_closed_client_can_be_used_again() -> None:
    client = outbound()
    await client.close()
    assert (await refusal(client.get("http://127.0.0.1:1/")))[1] == "unreachable"
    await client.close()
    await client.close()
