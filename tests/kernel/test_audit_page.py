"""The audit page shows refused requests and what users did, newest first."""

import logging
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler

from quartet.kernel.audit import service as audit_service
from quartet.services import NAMES, service
from quartet.sync.app import SERVICE as SYNC
from quartet.sync.login.service import Login as SyncLogin
from tests.client import Client, client_at, client_of, quiet_client_of
from tests.downloads.conftest import logged_in
from tests.downloads.first_user import USER
from tests.log_lines import lines

pytestmark = pytest.mark.anyio

AUDIT = "/api/system/audit"


async def entries(client: Client, **params: Any) -> list[dict[str, Any]]:
    answer = await client.get(AUDIT, params=params)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["entries"]
    return found


async def test_refusals_and_actions_are_listed_newest_first(tmp_path: Path) -> None:
    async with logged_in(tmp_path) as client:
        async with client_at(client.started, peer="203.0.113.7") as stranger:
            wrong = USER | {"password": "a wrong password"}
            await stranger.post("/api/auth/login", json=wrong)
        await client.post("/api/settings/api-token")
        await client.delete("/api/packages/7")
        made = await client.post("/api/links", json={"links": "http://files.example/a"})
        await client.delete(f"/api/packages/{made.json()['packageId']}")
        found = await entries(client)
        assert [(each["event"], each["user"], each["client"]) for each in found] == [
            ("deleted", "ada", "127.0.0.1"),
            ("token_created", "ada", "127.0.0.1"),
            ("login_failed", "", "203.0.113.7"),
            ("signed_in", "ada", "127.0.0.1"),
        ]
        assert found[0]["path"] == f"/api/packages/{made.json()['packageId']}"
        assert found[2]["code"] == "wrong_credentials"
        assert [each["event"] for each in await entries(client, event="deleted")] == ["deleted"]
    async with logged_in(tmp_path) as client:
        assert len(await entries(client, event="token_created")) == 1


async def test_pages_follow_each_other(tmp_path: Path) -> None:
    async with logged_in(tmp_path) as client:
        for _ in range(5):
            await client.post("/api/settings/api-token")
        first = (await client.get(AUDIT, params={"limit": 3})).json()
        second = (await client.get(AUDIT, params={"limit": 3, "before": first["next"]})).json()
        ids = [each["id"] for page in (first, second) for each in page["entries"]]
        assert ids == sorted(ids, reverse=True)
        assert (len(first["entries"]), len(second["entries"]), second["next"]) == (3, 3, None)


async def test_table_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_service, "KEPT", 4)
    async with logged_in(tmp_path) as client:
        for _ in range(4):
            for _ in range(3):
                await client.post("/api/settings/api-token")
            assert len(await entries(client)) <= 4


async def test_flood_of_refused_requests_is_bounded_in_memory(tmp_path: Path) -> None:
    async with quiet_client_of(SYNC, tmp_path) as client:
        headers = {"authorization": "Bearer wrong"}
        for _ in range(audit_service.WAITING + 50):
            await client.get("/api/system", headers=headers)
        assert len(client.started.kernel.audit_log._waiting) == audit_service.WAITING


async def test_anonymous_visitor_cannot_read_the_page(tmp_path: Path) -> None:
    async with client_of(SYNC, tmp_path) as client:
        assert await client.code("GET", AUDIT) == (401, "signed_out")


async def test_export_is_logged_in_the_documented_format(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "quartet.audit")
    async with client_of(SYNC, tmp_path) as client:
        SyncLogin(client.started.kernel.db).set_password("the correct password")
        await client.post("/api/login", json={"password": "the correct password"})
        await client.get("/api/config/export")
    expected = "exported client=127.0.0.1 service=sync user=admin path=/api/config/export"
    assert lines(caplog, "audit", logging.INFO)[-1] == expected


async def test_text_of_client_cannot_forge_a_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    forged = "x%0alogin_failed client=192.0.2.1 service=sync"
    async with client_of(SYNC, tmp_path) as client:
        for path in (f"/api/hubs/{forged}", f"/api/devices/{forged}"):
            await client.delete(path, headers={"authorization": "Bearer wrong"})
    found = lines(caplog, "audit", logging.WARNING)
    assert found
    assert not any("\n" in line or "client=192.0.2.1" in line for line in found)


@pytest.mark.parametrize("name", NAMES)
async def test_every_route_that_deletes_is_audited(name: str, tmp_path: Path) -> None:
    async with quiet_client_of(service(name), tmp_path) as client:
        app = client.started.app.app
        assert isinstance(app, Litestar)
        handlers = {
            handler
            for route in app.routes
            for handler in getattr(route, "route_handlers", [])
            if isinstance(handler, HTTPRouteHandler) and "DELETE" in handler.http_methods
        }
        missing = [
            path
            for handler in handlers
            if "audit" not in handler.opt and not handler.opt.get("public")
            for path in handler.paths
        ]
        assert handlers
        assert missing == []
