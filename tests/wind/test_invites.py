"""Who may sign up in each mode, and the first admin's invite."""

import asyncio
import re
from pathlib import Path

import pytest

from quartet.kernel.errors import AppError
from quartet.kernel.startup import start
from quartet.wind.accounts.invites import Invites
from quartet.wind.accounts.types import NewInvite
from quartet.wind.app import SERVICE
from quartet.wind.site.service import SiteSettings
from tests.client import Client, client_at
from tests.wind.account_setup import (
    PASSWORD,
    browser,
    invite,
    make_admin,
    my_id,
    service_of,
    sign_in_with_password,
    sign_up,
    sign_up_with_password,
    site,
)
from tests.wind.authenticator import Authenticator
from tests.wind.mailbox import account_mails_loop, mailbox, token_in

pytestmark = pytest.mark.anyio


async def refusal(client: Client, **more: str) -> tuple[int, str]:
    """Try to sign up with a passkey and with a password."""
    body = {"name": "Eve", **more}
    one = await client.code("POST", "/api/auth/signup", json=body)
    body |= {"email": "eve@example.org", "password": PASSWORD}
    assert await client.code("POST", "/api/auth/signup/password", json=body) == one
    return one


async def test_account_mode_controls_sign_up(tmp_path: Path) -> None:
    async with site(tmp_path, "open") as client:
        await sign_up(client)
        admin = await make_admin(client)
        code = await invite(client, admin)
        modes = service_of(client, SiteSettings)
        visitor = browser(client)
        await modes.set("account_mode", "invite")
        assert await refusal(visitor) == (403, "invite_required")
        assert await refusal(visitor, invite="guess") == (403, "invite_invalid")
        await modes.set("account_mode", "closed")
        assert await refusal(visitor) == (403, "closed")
        assert await refusal(visitor, invite=code) == (403, "closed")
        await modes.set("account_mode", "open")
        # An invalid invite is an error even if no invite is required.
        assert await refusal(visitor, invite="guess") == (403, "invite_invalid")
        await sign_up(visitor, invite=code)
        assert (await visitor.get("/api/me")).json()["role"] == "user"


async def test_invite_is_listed_used_and_revoked(tmp_path: Path) -> None:
    async with site(tmp_path, "open") as client:
        await sign_up(client)
        admin = await make_admin(client)
        invites = service_of(client, Invites)
        made = await invites.make(NewInvite(note=" for  Bob ", role="admin", days=2), admin)
        assert made.path == f"/sign-up?invite={made.code}"
        assert made.invite.expires_at - made.invite.created_at == 2 * 24 * 3600
        taken_back = await invites.make(NewInvite(), admin)
        await invites.revoke(taken_back.invite.id)
        with pytest.raises(AppError):
            await invites.revoke(taken_back.invite.id)
        bob = browser(client)
        assert await refusal(bob, invite=taken_back.code) == (403, "invite_invalid")
        await sign_up(bob, "Bob", invite=made.code)
        assert (await bob.get("/api/me")).json()["role"] == "admin"
        listed = (await invites.list())[0]
        assert (listed.note, listed.used_by) == ("for Bob", await my_id(bob))
        assert await refusal(browser(client), invite=made.code) == (403, "invite_invalid")


async def test_concurrent_sign_ups_with_one_invite_create_one_account(tmp_path: Path) -> None:
    async with site(tmp_path, "open") as client:
        await sign_up(client)
        code = await invite(client, await make_admin(client))
        await service_of(client, SiteSettings).set("account_mode", "invite")
        visitors, bodies = [browser(client) for _ in range(6)], []
        for visitor in visitors:
            body = {"name": "Eve", "invite": code}
            options = (await visitor.post("/api/auth/signup", json=body)).json()["options"]
            bodies.append({"credential": Authenticator().create(options)})
        answers = await asyncio.gather(
            *(
                visitor.post("/api/auth/signup/finish", json=body)
                for visitor, body in zip(visitors, bodies, strict=True)
            )
        )
        assert sorted(each.status_code for each in answers) == [200] + [403] * 5
        late = browser(client)
        assert await refusal(late, invite=code) == (403, "invite_invalid")


async def test_invite_is_single_use_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    async with site(tmp_path, "open", database_url=postgres_url) as client:
        await sign_up(client)
        code = await invite(client, await make_admin(client))
        visitors = [browser(client) for _ in range(6)]

        async def come(number: int, visitor: Client) -> int:
            body = {"name": "Eve", "email": f"eve{number}@example.org", "password": PASSWORD}
            body["invite"] = code
            return (await visitor.post("/api/auth/signup/password", json=body)).status_code

        codes = await asyncio.gather(*(come(*each) for each in enumerate(visitors)))
        assert sorted(codes) == [202] + [403] * 5
        same = [browser(client) for _ in range(6)]
        await asyncio.gather(*(sign_up_with_password(each, "bob@example.org") for each in same))
        answers = [(await each.get("/api/me")).status_code for each in same]
        assert sorted(answers) == [200] + [401] * 5


async def test_invite_is_used_when_address_is_confirmed(tmp_path: Path) -> None:
    async with mailbox() as box, site(tmp_path, "open", **box.settings) as client:
        await sign_up(client)
        code = await invite(client, await make_admin(client))
        visitors, tokens = [browser(client), browser(client)], []
        async with account_mails_loop(client):
            for number, visitor in enumerate(visitors):
                email = f"eve{number}@example.org"
                await sign_up_with_password(visitor, email, invite=code)
                tokens.append(token_in(await box.next(), "confirm"))
        first = await visitors[0].post("/api/auth/confirm", json={"token": tokens[0]})
        assert first.status_code == 200
        body = {"token": tokens[1]}
        late = await visitors[1].code("POST", "/api/auth/confirm", json=body)
        assert late == (403, "invite_invalid")


async def test_startup_message_contains_first_admin_invite(tmp_path: Path) -> None:
    def come_up() -> tuple[Client, str | None]:
        started = start(SERVICE, SERVICE.settings(data=tmp_path))
        found = re.search(r"http://localhost:8450/sign-up\?invite=([\w-]+)", started.welcome)
        return client_at(started), found[1] if found else None

    client, code = come_up()
    await client.started.kernel.close()
    client, again = come_up()
    # Shown again until it is used.
    assert code is not None and code == again
    await service_of(client, SiteSettings).set("account_mode", "closed")
    assert (tmp_path / "first-admin-invite").stat().st_mode & 0o777 == 0o600
    await sign_up(client, invite=code)
    assert (await client.get("/api/me")).json()["role"] == "admin"
    await client.started.kernel.close()
    client, code = come_up()
    assert code is None
    assert not (tmp_path / "first-admin-invite").exists()
    await client.started.kernel.close()


async def test_demo_has_an_admin_and_is_open(tmp_path: Path) -> None:
    said = []
    for _ in range(2):
        started = start(SERVICE, SERVICE.settings(data=tmp_path), demo=True)
        said.append(started.welcome)
        client = client_at(started)
        password = started.welcome.rsplit(" ", 1)[1]
        assert await sign_in_with_password(client, "demo@example.org", password) == (200, None)
        assert (await client.get("/api/me")).json()["role"] == "admin"
        await sign_up(browser(client))
        await started.kernel.close()
    assert said[0] == said[1]
