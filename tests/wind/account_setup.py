"""Users of the site, each with a separate browser."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from quartet.wind.accounts.invites import Invites
from quartet.wind.accounts.types import NewInvite
from quartet.wind.accounts.users import Users
from quartet.wind.site.service import SiteSettings
from quartet.wind.site.types import AccountMode
from tests.client import BASE, Client, client_at
from tests.wind.authenticator import Authenticator
from tests.wind.quiet import quiet

PASSWORD = "wind from the west"


@asynccontextmanager
async def site(data: Path, mode: AccountMode = "open", **settings: Any) -> AsyncIterator[Client]:
    async with quiet(data, **settings) as client:
        await service_of(client, SiteSettings).set("account_mode", mode)
        yield client


def service_of(client: Client, kind: type[Any]) -> Any:
    """Return the service of this class from the handler dependencies."""
    given = client.started.built.dependencies.values()
    return next(each for each in given if isinstance(each, kind))


def browser(client: Client, *, peer: str = "127.0.0.1", base: str = BASE) -> Client:
    """Return another browser on the same site."""
    return client_at(client.started, peer=peer, base=base)


async def sign_up(client: Client, name: str = "Ada", **more: Any) -> Authenticator:
    """Sign up with a passkey."""
    device = Authenticator()
    answer = await client.post("/api/auth/signup", json={"name": name, **more})
    assert answer.status_code == 200, answer.text
    credential = device.create(answer.json()["options"])
    answer = await client.post("/api/auth/signup/finish", json={"credential": credential})
    assert answer.status_code == 200, answer.text
    return device


async def sign_in(client: Client, device: Authenticator) -> dict[str, Any]:
    options = (await client.post("/api/auth/signin")).json()["options"]
    body = {"credential": device.get(options)}
    answer = await client.post("/api/auth/signin/finish", json=body)
    assert answer.status_code == 200, answer.text
    me: dict[str, Any] = answer.json()
    return me


async def add_passkey(client: Client, device: Authenticator, name: str) -> dict[str, Any]:
    options = (await client.post("/api/auth/passkeys")).json()["options"]
    body = {"credential": device.create(options), "passkeyName": name}
    answer = await client.post("/api/auth/passkeys/finish", json=body)
    assert answer.status_code == 200, answer.text
    me: dict[str, Any] = answer.json()
    return me


async def sign_up_with_password(client: Client, email: str, **more: Any) -> None:
    body = {"name": "Ada", "email": email, "password": PASSWORD, **more}
    answer = await client.post("/api/auth/signup/password", json=body)
    assert answer.status_code == 202, answer.text


async def sign_in_with_password(
    client: Client, email: str, password: str = PASSWORD
) -> tuple[int, str | None]:
    """Return the status and the error code."""
    body = {"email": email, "password": password}
    answer = await client.post("/api/auth/signin/password", json=body)
    return answer.status_code, answer.json().get("code")


async def my_id(client: Client) -> int:
    number: int = (await client.get("/api/me")).json()["id"]
    return number


async def make_admin(client: Client) -> int:
    number = await my_id(client)
    await service_of(client, Users).set_role(number, "admin")
    return number


async def invite(client: Client, by: int, **wanted: Any) -> str:
    code: str = (await service_of(client, Invites).make(NewInvite(**wanted), by)).code
    return code
