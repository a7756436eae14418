"""Admin settings."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.client import Client
from tests.wind.admins import admin_at

pytestmark = pytest.mark.anyio


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[Client]:
    async with admin_at(tmp_path) as browser:
        yield browser


async def settings(browser: Client) -> dict[str, dict[str, Any]]:
    listed = (await browser.get("/api/admin/settings")).json()["settings"]
    return {each["key"]: each for each in listed}


async def test_settings_have_type_default_and_limits(browser: Client) -> None:
    found = await settings(browser)
    assert found["account_mode"] == {
        "key": "account_mode",
        "type": "choice",
        "default": "invite",
        "value": "invite",
        "limits": {"choices": ["closed", "invite", "open"]},
        "changedAt": None,
        "changedBy": None,
    }
    assert found["favorites_limit"]["limits"] == {"min": 1, "max": 1000}
    assert found["imprint_de"]["limits"] == {"maxLength": 50_000}
    assert found["map_spots"]["type"] == "places"


async def test_change_takes_effect_immediately_until_reset(browser: Client) -> None:
    answer = await browser.put("/api/admin/settings/account_mode", json={"value": "open"})
    me = (await browser.get("/api/me")).json()["id"]
    assert (answer.json()["value"], answer.json()["changedBy"]) == ("open", me)
    assert answer.json()["changedAt"] > 1_700_000_000
    assert (await browser.get("/api/site")).json()["mode"] == "open"
    again = (await browser.delete("/api/admin/settings/account_mode")).json()
    assert (again["value"], again["changedAt"]) == ("invite", None)
    assert (await browser.get("/api/site")).json()["mode"] == "invite"


async def test_single_setting(browser: Client) -> None:
    answer = (await browser.get("/api/admin/settings/backups_kept")).json()
    assert (answer["default"], answer["value"]) == (5, 5)


async def test_unknown_key_is_not_found(browser: Client) -> None:
    for key in ("nothing", "accountMode", "..%2fusers", "%00"):
        path = f"/api/admin/settings/{key}"
        for method, body in (("GET", None), ("PUT", {"value": 1}), ("DELETE", None)):
            status, code = await browser.code(method, path, json=body)
            assert status == 404 and code in ("unknown_setting", "not_found")


async def test_invalid_value_error_names_the_key(browser: Client) -> None:
    bad: list[object] = ["", 0, None, [], {"a": 1}, "x"]
    for value in bad:
        answer = await browser.put("/api/admin/settings/favorites_limit", json={"value": value})
        assert (answer.status_code, answer.json()) == (
            400,
            {"code": "invalid_setting", "inputs": {"key": "favorites_limit"}},
        )
    path = "/api/admin/settings/favorites_limit"
    assert await browser.code("PUT", path, json={}) == (400, "invalid_request")
    assert await browser.code("PUT", path, content="{") == (415, "wrong_content_type")
