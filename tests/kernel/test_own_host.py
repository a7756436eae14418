"""DNS rebinding: access without a secret requires a Host header that names this service."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quartet.kernel.service import BuiltService, Connection, Identity, Kernel
from quartet.media.app import SERVICE as MEDIA
from quartet.services import NAMES, service
from tests.client import client_of, quiet_client_of

pytestmark = pytest.mark.anyio

TOKEN = "0123456789abcdef"
PROXY_USER = {"remote-user": "ada"}
FOREIGN_HOSTS = ["evil.example:8420", "127.0.0.1.evil.example", "127.0.0.1%evil.example", "[", ""]
OWN_HOSTS = ["localhost:8420", "127.0.0.1", "[::1]:8420", "192.168.1.5:8420"]
REFUSED = (403, "host_not_allowed")


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
@pytest.mark.parametrize("token", [TOKEN, None])
async def test_proxy_header_is_refused_for_foreign_host(
    tmp_path: Path, host: str, token: str | None
) -> None:
    headers = {**PROXY_USER, "host": host}
    async with client_of(MEDIA, tmp_path, auth_header="Remote-User", token=token) as client:
        for path in ("/api/system", "/api/session", "/api/events"):
            assert await client.code("GET", path, headers=headers) == REFUSED


@pytest.mark.parametrize("host", [*OWN_HOSTS, "media.example.org", "nas.local:8420"])
async def test_proxy_header_is_accepted_for_own_host(tmp_path: Path, host: str) -> None:
    settings: dict[str, Any] = {
        "auth_header": "Remote-User",
        "public_url": "https://media.example.org/m",
        "allowed_hosts": ("localhost", "127.0.0.1", "::1", "192.168.1.5", "nas.local"),
    }
    async with client_of(MEDIA, tmp_path, **settings) as client:
        answer = await client.get("/api/system", headers={**PROXY_USER, "host": host})
        assert answer.status_code == 200


@pytest.mark.parametrize("host", OWN_HOSTS)
async def test_proxy_header_is_accepted_for_ip_address_without_settings(
    tmp_path: Path, host: str
) -> None:
    async with client_of(MEDIA, tmp_path, auth_header="Remote-User", token=TOKEN) as client:
        answer = await client.get("/api/system", headers={**PROXY_USER, "host": host})
        assert answer.status_code == 200


async def test_token_is_accepted_for_any_host(tmp_path: Path) -> None:
    headers = {"authorization": f"Bearer {TOKEN}", "host": "nas.example"}
    async with client_of(MEDIA, tmp_path, auth_header="Remote-User", token=TOKEN) as client:
        assert (await client.get("/api/system", headers=headers)).status_code == 200


@pytest.mark.parametrize("via", ["open", "proxy"])
@pytest.mark.parametrize("name", NAMES)
async def test_every_service_refuses_access_without_secret_for_foreign_host(
    tmp_path: Path, name: str, via: str
) -> None:
    found = service(name)

    async def accept(_connection: Connection) -> Identity:
        return Identity("local", via)

    def build(kernel: Kernel[Any]) -> BuiltService:
        return replace(found.build(kernel), authenticate=accept)

    async with quiet_client_of(replace(found, build=build), tmp_path) as client:
        for host in FOREIGN_HOSTS:
            assert await client.code("GET", "/metrics", headers={"host": host}) == REFUSED
        for host in OWN_HOSTS:
            answer = await client.get("/metrics", headers={"host": host})
            assert answer.status_code == 200
