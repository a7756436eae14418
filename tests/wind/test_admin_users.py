"""Admin pages of users, invites, alerts and mail."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.client import Client
from tests.wind.account_setup import my_id
from tests.wind.admins import admin, admin_at
from tests.wind.mailbox import mailbox, text_of
from tests.wind.signed_in_users import signed_in_user

pytestmark = pytest.mark.anyio

USERS = "/api/admin/users"


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[Client]:
    async with admin_at(tmp_path) as browser:
        yield browser


async def test_users_are_searched_and_paged(browser: Client) -> None:
    for name in ("Anna", "Bert", "100%"):
        await (await signed_in_user(browser, name)).browser.aclose()
    page = (await browser.get(USERS, params={"limit": 2})).json()
    assert (len(page["users"]), page["total"]) == (2, 4)
    found = (await browser.get(USERS, params={"q": "ann"})).json()["users"]
    assert [each["name"] for each in found] == ["Anna"]
    found = (await browser.get(USERS, params={"q": "%"})).json()["users"]
    assert [each["name"] for each in found] == ["100%"]
    assert await browser.code("GET", f"{USERS}?limit=0") == (400, "invalid_request")
    assert await browser.code("GET", f"{USERS}?q={'x' * 300}") == (400, "invalid_request")


async def test_user_can_be_disabled_signed_out_enabled_and_deleted(browser: Client) -> None:
    person = await signed_in_user(browser)
    path = f"{USERS}/{person.id}"
    assert (await person.browser.get("/api/me")).status_code == 200
    assert (await browser.post(f"{path}/disable")).json()["disabled"] is True
    assert await person.browser.code("GET", "/api/me") == (401, "signed_out")
    assert (await browser.post(f"{path}/enable")).json()["disabled"] is False
    assert (await browser.post(f"{path}/signout")).status_code == 200
    assert await browser.code("POST", f"{path}/confirm-email") == (409, "email_needed")
    export = await browser.get(f"{path}/export")
    assert export.json()["account"]["name"] == "Anna"
    assert {"alarms", "passkeys", "sessions"} <= set(export.json())
    assert "attachment" in export.headers["content-disposition"]
    assert (await browser.delete(path)).status_code == 204
    assert await browser.code("GET", path) == (404, "not_found")
    for act in ("disable", "enable", "signout", "confirm-email"):
        assert await browser.code("POST", f"{path}/{act}") == (404, "not_found")
    assert await browser.code("GET", f"{path}/export") == (404, "not_found")
    assert await browser.code("DELETE", path) == (404, "not_found")
    await person.browser.aclose()


async def test_last_admin_cannot_be_removed(browser: Client) -> None:
    me = await my_id(browser)
    role, last = {"json": {"role": "user"}}, (409, "last_admin")
    assert await browser.code("PUT", f"{USERS}/{me}/role", **role) == last
    assert await browser.code("POST", f"{USERS}/{me}/disable") == last
    assert await browser.code("DELETE", f"{USERS}/{me}") == last
    other = await admin(browser, "Ada")
    both = await asyncio.gather(
        browser.put(f"{USERS}/{me}/role", json={"role": "user"}),
        browser.put(f"{USERS}/{other.id}/role", json={"role": "user"}),
        other.browser.put(f"{USERS}/{me}/role", json={"role": "user"}),
    )
    assert [answer.status_code for answer in both].count(200) >= 1
    roles = [(await each.get("/api/me")).json()["role"] for each in (browser, other.browser)]
    assert roles.count("admin") == 1
    await other.browser.aclose()


async def test_invalid_user_ids_are_rejected(browser: Client) -> None:
    for number in ("0", "-1", "99999999999999999999", "x", "1e3"):
        answer = await browser.post(f"{USERS}/{number}/disable")
        assert answer.status_code in (400, 404), (number, answer.text)


async def test_invites_are_created_listed_and_revoked(browser: Client) -> None:
    made = await browser.post("/api/admin/invites", json={"note": "for Ada", "days": 3})
    assert made.status_code == 201
    code, number = made.json()["code"], made.json()["invite"]["id"]
    assert made.json()["path"] == f"/sign-up?invite={code}"
    listed = await browser.get("/api/admin/invites")
    assert code not in listed.text
    assert "for Ada" in [each["note"] for each in listed.json()["invites"]]
    assert (await browser.delete(f"/api/admin/invites/{number}")).status_code == 204
    assert await browser.code("DELETE", f"/api/admin/invites/{number}") == (404, "not_found")
    for body in ({"days": 0}, {"role": "god"}, {"note": 1}):
        status = await browser.code("POST", "/api/admin/invites", json=body)
        assert status == (400, "invalid_request")


async def test_alert_report_without_mail_server(browser: Client) -> None:
    answer = (await browser.get("/api/admin/alarms")).json()
    assert answer["report"]["alarms"] == 0 and answer["report"]["troubles"] == []
    assert answer["push"]["subscriptions"] == 0 and answer["mailReady"] is False
    status = await browser.code("POST", "/api/admin/alarms/test-mail", json={})
    assert status == (409, "mail_not_set_up")


async def test_test_mail_is_sent_and_rate_limited(tmp_path: Path) -> None:
    async with mailbox() as box, admin_at(tmp_path, **box.settings) as browser:
        path = "/api/admin/alarms/test-mail"
        assert await browser.code("POST", path, json={}) == (409, "email_needed")
        for bad in ("nobody", "a@b\r\nBcc: c@d", ""):
            status = await browser.code("POST", path, json={"to": bad})
            assert status in ((400, "invalid_email"), (409, "email_needed"))
        to = {"to": "grace@example.org"}
        sent = await browser.post(path, json=to)
        assert (sent.status_code, sent.json()) == (200, to)
        mail = await box.next()
        assert mail["X-To"] == "grace@example.org" and "can send mails" in text_of(mail)
        box.refusals = ["550 no such box"]
        refused = await browser.post(path, json=to)
        assert refused.status_code >= 500 and refused.json()["code"].startswith("mail_")
        for _ in range(3):
            assert (await browser.post(path, json=to)).status_code == 200
        assert await browser.code("POST", path, json=to) == (429, "too_many_requests")
