from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient
from quartet.kernel.outbound.redirects import OutboundRequest, follow_redirect

Serve = Callable[[Callable[[web.Request], Awaitable[web.StreamResponse]]], Awaitable[int]]

SECRETS = {"Authorization": "Bearer x", "Cookie": "id=1", "X-Api-Key": "k", "Accept": "text/plain"}


def request(url: str, method: str = "GET") -> OutboundRequest:
    headers = CIMultiDict({**SECRETS, "Content-Type": "text/plain"})
    return OutboundRequest(method, URL(url), headers, b"body" if method != "GET" else None)


@pytest.mark.parametrize(
    ("location", "kept"),
    [
        ("/other", True),
        ("https://a.example/other", True),
        ("https://a.example:443/other", True),
        ("https://a.example:8443/other", False),
        ("https://b.example/other", False),
        ("//sub.a.example/", False),
    ],
)
def test_redirect_to_other_origin_drops_secrets(location: str, kept: bool) -> None:
    after = follow_redirect(request("https://a.example/start"), 302, location)
    assert ("Authorization" in after.headers) is kept
    assert ("Cookie" in after.headers) is kept
    assert ("X-Api-Key" in after.headers) is kept
    assert after.headers["Accept"] == "text/plain"


def test_redirect_from_https_to_http_is_rejected() -> None:
    with pytest.raises(AppError) as caught:
        follow_redirect(request("https://a.example/"), 301, "http://a.example/?token=secret")
    assert caught.value.code == "address_forbidden"
    assert caught.value.inputs == {"address": "http://a.example"}
    assert (
        follow_redirect(request("http://a.example/"), 301, "https://a.example/").url.scheme
        == "https"
    )


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "ftp://a.example/", "http://u:p@a.example/", "http://:1/"]
)
def test_redirect_to_invalid_url_is_bad_answer(location: str) -> None:
    with pytest.raises(AppError) as caught:
        follow_redirect(request("http://a.example/"), 302, location)
    assert (caught.value.status, caught.value.code) == (502, "bad_answer")
    assert caught.value.inputs == {"address": "http://a.example"}


@pytest.mark.parametrize(
    ("status", "method", "becomes"),
    [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "PUT", "GET"),
        (307, "POST", "POST"),
        (308, "PUT", "PUT"),
        (302, "HEAD", "HEAD"),
    ],
)
def test_redirect_status_decides_method(status: int, method: str, becomes: str) -> None:
    after = follow_redirect(request("http://a.example/", method), status, "/x")
    assert after.method == becomes
    assert ("Content-Type" in after.headers, after.body) == (
        (False, None) if becomes != method else (True, b"body")
    )


@pytest.mark.anyio
async def test_redirects_are_followed_to_the_end(
    serve: Serve, resolving: Callable[..., Any]
) -> None:
    seen: list[tuple[str, str | None]] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append((request.host.partition(":")[0], request.headers.get("Authorization")))
        left = int(request.path[1:])
        if not left:
            return web.Response(text="there")
        host = "two" if left == 1 else "one"
        target = f"http://{host}:{request.url.port}/{left - 1}"
        return web.Response(status=302, headers={"Location": target})

    port = await serve(handler)
    names = resolving(one=["127.0.0.1"], two=["127.0.0.1"])
    async with OutboundClient(allow_private=["127.0.0.0/8"], resolver=names) as client:
        answer = await client.get(f"http://one:{port}/5", headers={"Authorization": "secret"})
        assert (answer.text, answer.url) == ("there", f"http://two:{port}/0")
        assert seen == [("one", "secret")] * 5 + [("two", None)]
        with pytest.raises(AppError) as caught:
            await client.get(f"http://one:{port}/6")
    assert (caught.value.status, caught.value.code) == (502, "too_many_redirects")
    assert caught.value.inputs == {"address": f"http://one:{port}"}
