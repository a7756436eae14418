"""Access control of the admin API."""

import re
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar

from tests.client import Client
from tests.wind.admins import admin
from tests.wind.quiet import quiet
from tests.wind.signed_in_users import signed_in_user

pytestmark = pytest.mark.anyio


def admin_paths(site: Client) -> list[tuple[str, str]]:
    app = site.started.app.app
    assert isinstance(app, Litestar)
    found = set()
    for route in app.routes:
        for handler in getattr(route, "route_handlers", []):
            if handler.opt.get("admin"):
                path = re.sub(r"\{\w+(:\w+)?\}", "1", route.path)
                found |= {(method, path) for method in handler.http_methods if method != "OPTIONS"}
    return sorted(found)


async def test_admin_paths_are_forbidden_for_others(tmp_path: Path) -> None:
    async with quiet(tmp_path) as site:
        paths = admin_paths(site)
        assert len([path for _, path in paths if path.startswith("/api/admin/")]) >= 45
        person = await signed_in_user(site)
        async with person.browser as browser:
            for method, path in paths:
                body: dict[str, Any] = {"json": {}} if method in ("POST", "PUT") else {}
                assert await site.code(method, path, **body) == (401, "signed_out"), path
                assert await browser.code(method, path, **body) == (403, "forbidden"), path


async def test_every_admin_path_requires_admin_role(tmp_path: Path) -> None:
    async with quiet(tmp_path) as site:
        app = site.started.app.app
        assert isinstance(app, Litestar)
        for route in app.routes:
            if route.path.startswith("/api/admin"):
                for handler in getattr(route, "route_handlers", []):
                    assert handler.opt.get("admin") or handler.http_methods == {"OPTIONS"}


async def test_path_probing_reveals_nothing(tmp_path: Path) -> None:
    async with quiet(tmp_path) as site:
        person = await signed_in_user(site)
        async with person.browser as browser:
            for path in ("/api/admin", "/api/admin/", "/api/admin/secret", "/api/admin/users/x"):
                assert (await browser.get(path)).status_code in (403, 404), path
                assert (await site.get(path)).status_code in (401, 404), path
            for path in ("/api/admin//overview", "/api/admin/%6fverview", "/API/admin/overview"):
                answer = await browser.get(path)
                assert "counts" not in answer.text, path
            assert await browser.code("GET", "/api/system") == (403, "forbidden")
            assert await browser.code("GET", "/metrics") == (403, "forbidden")


async def test_demoted_admin_loses_access_immediately(tmp_path: Path) -> None:
    async with quiet(tmp_path) as site:
        first, second = await admin(site), await admin(site, "Ada")
        async with first.browser as one, second.browser as two:
            assert (await two.get("/api/admin/overview")).status_code == 200
            answer = await one.put(f"/api/admin/users/{second.id}/role", json={"role": "user"})
            assert answer.json()["role"] == "user"
            assert await two.code("GET", "/api/admin/overview") == (403, "forbidden")
