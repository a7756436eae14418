"""Links with which people set the password of their account."""

import time

import httpx
import pytest
from sqlalchemy import text

from tests.client import NO_AUTHORITIES
from tests.sync.accounts import SECRET, add_account, invite, signed_in
from tests.sync.running_app import RunningApp

pytestmark = pytest.mark.anyio


async def test_invited_person_sets_password_once(app: RunningApp) -> None:
    await app.post("/api/accounts", {"name": "ada", "role": "editor"})
    [shown] = await app.get("/api/accounts")
    assert (shown["hasPassword"], shown["invitedUntil"]) == (False, None)
    token = await invite(app)
    [shown] = await app.get("/api/accounts")
    assert shown["invitedUntil"] > time.time()
    async with httpx.AsyncClient(base_url=app.url, verify=NO_AUTHORITIES) as ada:
        for guess in ("", "-", "nobody", SECRET):
            answer = await ada.post("/api/login", json={"account": "ada", "password": guess})
            assert answer.status_code == 401
        seen = (await ada.post("/api/invitations/look", json={"token": token})).json()
        assert (seen["name"], seen["role"]) == ("ada", "editor")
        body = {"token": token, "password": "short"}
        answer = await ada.post("/api/invitations/accept", json=body)
        assert answer.json()["code"] == "password_too_short"
        accepted = {"token": token, "password": SECRET}
        answer = await ada.post("/api/invitations/accept", json=accepted)
        assert answer.status_code == 204
        # The person is signed in.
        assert (await ada.get("/api/session")).json()["account"] == "ada"
        again = await ada.post("/api/invitations/accept", json=accepted)
        assert (again.status_code, again.json()["code"]) == (404, "invitation_not_found")
    async with signed_in(app, "ada"):
        [shown] = await app.get("/api/accounts")
        assert (shown["hasPassword"], shown["invitedUntil"]) == (True, None)


async def test_invitation_ends_by_expiry_replacement_and_removal(
    app: RunningApp,
) -> None:
    async def look(token: str) -> tuple[int, str]:
        return await app.refused("POST", "/api/invitations/look", json={"token": token})

    await add_account(app)
    replaced, token = await invite(app), await invite(app)
    assert await look(replaced) == (404, "invitation_not_found")
    expire = text("UPDATE account_invitations SET expires_at = 1")
    await app.started.kernel.db.write(lambda tx: tx.conn.execute(expire))
    assert await look(token) == (410, "invitation_expired")
    # A password that an admin sets ends it as well.
    await app.admin.patch("/api/accounts/ada", json={"password": "another password"})
    assert await look(token) == (404, "invitation_not_found")
    token = await invite(app)
    await app.admin.delete("/api/accounts/ada")
    assert await look(token) == (404, "invitation_not_found")
    missing = await app.refused("POST", "/api/accounts/admin/invitation")
    assert missing == (404, "account_not_found")


async def test_invitation_ends_older_sessions(app: RunningApp) -> None:
    await add_account(app)
    token = await invite(app)
    async with signed_in(app, "ada") as ada:
        body = {"token": token, "password": "a new password"}
        async with httpx.AsyncClient(base_url=app.url, verify=NO_AUTHORITIES) as other:
            assert (await other.post("/api/invitations/accept", json=body)).status_code == 204
        assert (await ada.get("/api/overview")).status_code == 401
