import asyncio
from pathlib import Path

import pytest

from quartet.downloads.app import SERVICE
from quartet.media.app import SERVICE as MEDIA
from tests.client import client_of
from tests.downloads.first_user import first_user

pytestmark = pytest.mark.anyio

LOGIN = {"json": {"user": "ada", "password": "wrong password"}}


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "http://localhost:81", "null", "http://localhost.evil", "http://["],
)
async def test_changes_from_foreign_origin_are_rejected(tmp_path: Path, origin: str) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        expected = (403, "unauthorized_origin")
        headers = {"origin": origin}
        assert await client.code("POST", "/api/auth/login", headers=headers, **LOGIN) == expected
        assert (await client.get("/api/health", headers=headers)).status_code == 200


async def test_cross_site_request_without_origin_is_rejected(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        headers = {"sec-fetch-site": "cross-site"}
        expected = (403, "unauthorized_origin")
        assert await client.code("POST", "/api/auth/login", headers=headers, **LOGIN) == expected


@pytest.mark.parametrize("origin", ["http://localhost", "https://files.example.org"])
async def test_changes_from_own_origin_are_accepted(tmp_path: Path, origin: str) -> None:
    async with client_of(SERVICE, tmp_path, public_url="https://files.example.org/d") as client:
        headers = {"origin": origin}
        expected = (401, "wrong_credentials")
        assert await client.code("POST", "/api/auth/login", headers=headers, **LOGIN) == expected


async def test_public_https_url_makes_cookies_secure(tmp_path: Path) -> None:
    """Also if the proxy does not send X-Forwarded-Proto."""
    async with client_of(SERVICE, tmp_path, public_url="https://files.example.org") as client:
        body = first_user(tmp_path, user="robin", password="four strings in tune")
        answer = await client.post("/api/auth/setup", json=body)
        assert answer.is_success, answer.text
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("__Host-") and "secure" in cookie.lower()


async def test_browser_extension_with_token_is_accepted(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        origin = {"origin": "chrome-extension://abcdef"}
        token = {**origin, "authorization": "Bearer 0123"}
        assert await client.code("GET", "/api/stats", headers=token) == (401, "signed_out")
        assert await client.code("POST", "/api/links", headers=token, json={}) == (
            401,
            "signed_out",
        )
        # The browser adds these headers itself, also for foreign pages.
        basic = {**origin, "authorization": "Basic YTpi"}
        assert await client.code("POST", "/api/links", headers=basic, json={}) == (
            403,
            "unauthorized_origin",
        )


async def test_unknown_host_is_rejected_if_allowed_hosts_are_set(tmp_path: Path) -> None:
    async with client_of(MEDIA, tmp_path, allowed_hosts=("localhost", "nas.local")) as client:
        assert (await client.get("/api/health")).status_code == 200
        assert (
            await client.get("/api/health", headers={"host": "NAS.local:8420"})
        ).status_code == 200
        for evil in ("evil.example", "[", "[localhost", ""):
            expected = (403, "host_not_allowed")
            assert await client.code("GET", "/api/health", headers={"host": evil}) == expected


# DNS rebinding against a service that is open on this machine.
@pytest.mark.parametrize("host", ["evil.example:8420", "evil.example", "192.168.1.5.evil.example"])
async def test_open_service_accepts_only_loopback_hosts(tmp_path: Path, host: str) -> None:
    async with client_of(MEDIA, tmp_path) as client:
        assert await client.code("GET", "/api/system", headers={"host": host}) == (
            403,
            "host_not_allowed",
        )
        for own in ("127.0.0.1:8420", "localhost", "[::1]:8420"):
            answer = await client.get("/api/system", headers={"host": own})
            assert answer.status_code == 200


@pytest.mark.parametrize("prefix", ["", "/media"])
async def test_base_path_works_with_and_without_stripping_proxy(
    tmp_path: Path, prefix: str
) -> None:
    async with client_of(MEDIA, tmp_path, base_path="/media") as client:
        assert (await client.get(f"{prefix}/api/health")).status_code == 200
        assert '<base href="/media/"' in (await client.get(f"{prefix}/some/page")).text


async def test_every_response_has_security_headers(tmp_path: Path) -> None:
    async with client_of(MEDIA, tmp_path) as client:
        for path in ("/", "/api/health", "/api/nothing"):
            headers = (await client.get(path)).headers
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "same-origin"


async def test_disconnected_client_is_not_an_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def gone(_message: object) -> None:
        raise RuntimeError("unable to perform operation on <TCPTransport>; the handler is closed")

    async with client_of(MEDIA, tmp_path) as client:
        request = client.build_request("GET", "/api/health")
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/api/health",
            "raw_path": b"/api/health",
            "query_string": b"",
            "headers": request.headers.raw,
            "client": ("127.0.0.1", 50000),
            "server": ("localhost", 80),
            "scheme": "http",
            "http_version": "1.1",
            "root_path": "",
        }
        await client.started.app(scope, lambda: asyncio.sleep(0, {"type": "http.request"}), gone)
    assert caplog.records == []
