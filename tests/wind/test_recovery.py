"""Ways back into an account: links from the operator, and recovery codes."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from quartet.cli import main
from quartet.kernel.startup import start
from quartet.wind.accounts.tables import recovery_codes
from quartet.wind.app import SERVICE
from tests.client import Client, client_at
from tests.wind.account_setup import (
    PASSWORD,
    add_passkey,
    browser,
    make_admin,
    my_id,
    sign_in,
    sign_in_with_password,
    sign_up,
    sign_up_with_password,
    site,
)
from tests.wind.authenticator import Authenticator

pytestmark = pytest.mark.anyio
ADA = "ada@example.org"
NEW_PASSWORD = "wind from the east"
INVALID = (400, "link_invalid")


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with site(tmp_path / "wind") as each:
        yield each


def command(data: Path, *words: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["wind", *words, "--data", str(data)])
    return result.exit_code, result.output.strip()


def token_of(link: str) -> str:
    found = re.fullmatch(r"(?:http://localhost:8450)?/reset\?token=(\w+)", link)
    assert found is not None, link
    return found[1]


async def set_password(client: Client, token: str) -> tuple[int, str | None]:
    body = {"token": token, "password": NEW_PASSWORD}
    answer = await client.post("/api/auth/password/reset", json=body)
    return answer.status_code, answer.json().get("code")


async def test_command_prints_link_for_new_password(client: Client, tmp_path: Path) -> None:
    await sign_up_with_password(client, ADA)
    code, link = command(tmp_path, "reset-link", "ADA@example.org")
    assert code == 0
    visitor = browser(client)
    answer = await visitor.post("/api/auth/reset", json={"token": token_of(link)})
    assert answer.json() == {"name": "Ada", "email": ADA}
    assert await set_password(visitor, token_of(link)) == (200, None)
    # Whoever used the account before is signed out, and the link works once.
    assert await client.code("GET", "/api/me") == (401, "signed_out")
    assert await set_password(browser(client), token_of(link)) == INVALID
    assert await sign_in_with_password(browser(client), ADA, NEW_PASSWORD) == (200, None)
    me = (await visitor.get("/api/me")).json()
    assert me["emailConfirmed"] is False, "the link did not come by mail"


async def test_newer_link_replaces_older_one(client: Client, tmp_path: Path) -> None:
    await sign_up_with_password(client, ADA)
    _, first = command(tmp_path, "reset-link", ADA)
    _, second = command(tmp_path, "reset-link", ADA)
    assert await set_password(browser(client), token_of(first)) == INVALID
    assert await set_password(browser(client), token_of(second)) == (200, None)


async def test_command_restores_account_that_has_only_passkeys(
    client: Client, tmp_path: Path
) -> None:
    await sign_up(client)
    code, link = command(tmp_path, "reset-link", str(await my_id(client)))
    assert code == 0
    visitor, device, token = browser(client), Authenticator(), token_of(link)
    # Without an address there can be no password.
    assert await set_password(visitor, token) == (409, "email_needed")
    answer = await visitor.post("/api/auth/reset/passkey", json={"token": token})
    body = {"credential": device.create(answer.json()["options"]), "passkeyName": "new phone"}
    answer = await visitor.post("/api/auth/reset/passkey/finish", json=body)
    assert [each["name"] for each in answer.json()["passkeys"]] == ["", "new phone"]
    assert await client.code("GET", "/api/me") == (401, "signed_out")
    assert (await sign_in(browser(client), device))["name"] == "Ada"
    again = await browser(client).code("POST", "/api/auth/reset/passkey", json={"token": token})
    assert again == INVALID


async def test_command_reports_unknown_accounts(client: Client, tmp_path: Path) -> None:
    for name in ("nobody@example.org", "4711"):
        code, said = command(tmp_path, "reset-link", name)
        assert (code, said) == (1, f"Error: there is no account {name}")


async def test_admin_creates_reset_link(client: Client) -> None:
    await sign_up(client)
    await make_admin(client)
    other = browser(client)
    await sign_up_with_password(other, ADA)
    path = f"/api/admin/users/{await my_id(other)}/reset-link"
    assert await other.code("POST", path) == (403, "forbidden")
    answer = await client.post(path)
    assert answer.headers["cache-control"] == "private, no-store"
    assert await set_password(browser(client), token_of(answer.json()["path"])) == (200, None)
    assert await client.code("POST", "/api/admin/users/4711/reset-link") == (404, "not_found")


async def test_disabled_account_is_not_restored(client: Client, tmp_path: Path) -> None:
    await sign_up(client)
    await make_admin(client)
    other = browser(client)
    await sign_up_with_password(other, ADA)
    _, link = command(tmp_path, "reset-link", ADA)
    await client.post(f"/api/admin/users/{await my_id(other)}/disable")
    assert await set_password(browser(client), token_of(link)) == INVALID
    assert command(tmp_path, "reset-link", ADA)[0] == 1


async def test_command_replaces_lost_invite_of_first_admin(tmp_path: Path) -> None:
    started = start(SERVICE, SERVICE.settings(data=tmp_path / "wind"))
    lost = started.welcome.rsplit("=", 1)[1]
    client = client_at(started)
    code, link = command(tmp_path, "admin-invite")
    assert code == 0
    new = link.rsplit("=", 1)[1]
    path = "/api/auth/invite"
    assert await client.code("POST", path, json={"code": lost}) == (403, "invite_invalid")
    await sign_up(client, invite=new)
    assert (await client.get("/api/me")).json()["role"] == "admin"
    code, said = command(tmp_path, "admin-invite")
    assert (code, said) == (1, "Error: there is an admin already; use reset-link")
    await started.kernel.close()


async def test_recovery_code_signs_in_once(client: Client) -> None:
    await sign_up(client)
    assert (await client.get("/api/me")).json().get("recoveryCodes") is None
    codes = (await client.post("/api/me/recovery-codes")).json()["codes"]
    assert len(set(codes)) == 10
    assert (await client.get("/api/me")).json()["recoveryCodes"] == 10
    visitor, path = browser(client), "/api/auth/signin/recovery"
    spelled = codes[0].upper().replace("-", " ")
    answer = await visitor.post(path, json={"code": spelled})
    assert answer.json()["recoveryCodes"] == 9
    again = await browser(client).code("POST", path, json={"code": codes[0]})
    assert again == (401, "wrong_credentials")
    # A new passkey can be added at once.
    device = Authenticator()
    await add_passkey(visitor, device, "new phone")
    await sign_in(browser(client), device)


async def test_recovery_codes_are_replaced_and_stored_as_hashes(client: Client) -> None:
    await sign_up(client)
    old = (await client.post("/api/me/recovery-codes")).json()["codes"]
    new = (await client.post("/api/me/recovery-codes")).json()["codes"]
    rows = await client.started.kernel.db.read(
        lambda conn: conn.execute(recovery_codes.select()).all()
    )
    assert len(rows) == 10
    stored = " ".join(str(row) for row in rows)
    assert not [each for each in (*old, *new) if each in stored or each.replace("-", "") in stored]
    path = "/api/auth/signin/recovery"
    refused = await browser(client).code("POST", path, json={"code": old[0]})
    assert refused == (401, "wrong_credentials")
    assert (await browser(client).post(path, json={"code": new[0]})).status_code == 200


async def test_guesses_of_recovery_codes_are_limited(client: Client) -> None:
    path, guess = "/api/auth/signin/recovery", {"code": "aaaa-bbbb-cccc-dddd"}
    for _ in range(30):
        assert await client.code("POST", path, json=guess) == (401, "wrong_credentials")
    assert await client.code("POST", path, json=guess) == (429, "too_many_attempts")
    elsewhere = browser(client, peer="203.0.113.7")
    assert await elsewhere.code("POST", path, json=guess) == (401, "wrong_credentials")


async def test_wrong_links_reveal_nothing(client: Client) -> None:
    await sign_up_with_password(client, ADA)
    for path in ("/api/auth/reset", "/api/auth/reset/passkey"):
        for token in ("", "x", "0" * 64):
            assert await client.code("POST", path, json={"token": token}) == INVALID
    assert await sign_in_with_password(browser(client), ADA, PASSWORD) == (200, None)
