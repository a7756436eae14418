"""Responses are compressed, and public JSON may be cached."""

import gzip
import json
from typing import Any

import pytest

from quartet.kernel.asgi import Message, Receive, Scope, Send, send_json
from quartet.kernel.compression import accepted_encoding
from quartet.kernel.edge import Edge
from quartet.kernel.metrics import Metrics
from quartet.kernel.settings import Settings

pytestmark = pytest.mark.anyio

LONG = json.dumps(list(range(2000))).encode()


async def application(scope: Scope, _receive: Receive, send: Send) -> None:
    await send_json(send, 200, b"[1]" if scope["path"].endswith("short") else LONG)


async def fast_path(_query: bytes) -> bytes | None:
    return LONG


EDGE = Edge(
    application,
    Settings(),
    Metrics(),
    {"/api/point": fast_path},
    {"/api/point": 60, "/api/map": 0, "/api/map/series": 60},
)


def scope_of(path: str, accepted: str = "gzip, br") -> dict[str, Any]:
    headers = [(b"host", b"localhost"), (b"accept-encoding", accepted.encode())]
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "scheme": "http",
    }


async def ask(path: str, accepted: str = "gzip, br") -> tuple[dict[bytes, bytes], bytes]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    await EDGE(scope_of(path, accepted), receive, send)
    start, body = sent
    headers = dict(start["headers"])
    assert int(headers[b"content-length"]) == len(body["body"])
    return headers, body["body"]


async def test_public_json_is_compressed_and_cached() -> None:
    headers, body = await ask("/api/map/series")
    assert headers[b"content-encoding"] == b"gzip" and gzip.decompress(body) == LONG
    assert headers[b"cache-control"] == b"public, max-age=60"
    assert b"accept-encoding" in headers[b"vary"]
    headers, _ = await ask("/api/map")
    assert headers[b"cache-control"] == b"no-cache"


async def test_short_secret_or_unwanted_bodies_are_not_compressed() -> None:
    for path, accepted in (
        ("/api/map/short", "gzip"),
        ("/api/me", "gzip"),
        ("/api/map", "br"),
        ("/api/map", "gzip;q=0"),
    ):
        headers, body = await ask(path, accepted)
        assert b"content-encoding" not in headers, (path, accepted)
        assert body in (LONG, b"[1]")
    assert b"cache-control" not in (await ask("/api/me"))[0]


async def test_fast_path_is_compressed() -> None:
    answer = EDGE.immediate_response(scope_of("/api/point"))
    assert answer is not None
    head, body = answer
    assert gzip.decompress(body) == LONG
    assert b"content-encoding: gzip\r\n" in head and b"max-age=60" in head
    plain = EDGE.immediate_response(scope_of("/api/point", ""))
    assert plain is not None and plain[1] == LONG and b"gzip" not in plain[0]


def test_weights_of_encodings_are_honoured() -> None:
    assert accepted_encoding("br, GZIP;q=0.5") == accepted_encoding("*") == "gzip"
    assert accepted_encoding("gzip, zstd") == "zstd"
    assert accepted_encoding("zstd;q=0, gzip") == "gzip"
    for nothing in ("gzip; q=0", "", "br"):
        assert accepted_encoding(nothing) == ""
