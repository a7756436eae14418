from litestar import delete, get, patch, post, put
from litestar.params import FromPath

from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.sync.accounts.access import READER
from quartet.sync.accounts.service import Accounts
from quartet.sync.accounts.types import AccountChange, NewAccount, PasswordChange, ShownAccount


@get("/api/accounts")
async def list_accounts(accounts: Injected[Accounts]) -> list[ShownAccount]:
    """List the accounts in addition to the first admin."""
    return await accounts.page()


@post("/api/accounts", status_code=201, audit="account_created")
async def add_account(data: JSONBody[NewAccount], accounts: Injected[Accounts]) -> ShownAccount:
    """Add an account with a role and the devices whose folders it sees."""
    return await accounts.add(data)


@patch("/api/accounts/{name:str}", status_code=200, audit="role_changed")
async def change_account(
    name: FromPath[str], data: JSONBody[AccountChange], accounts: Injected[Accounts]
) -> ShownAccount:
    """Change the role, the devices or the password of an account."""
    return await accounts.change(name, data)


@delete("/api/accounts/{name:str}", status_code=204, audit="deleted")
async def remove_account(name: FromPath[str], accounts: Injected[Accounts]) -> None:
    """Remove an account and sign it out."""
    await accounts.remove(name)


@put("/api/password", status_code=204, audit="password_changed", **READER)
async def change_password(
    request: Request, data: JSONBody[PasswordChange], accounts: Injected[Accounts]
) -> None:
    """Change the own password; other browsers are signed out."""
    identity = identity_of(request)
    await accounts.change_password(identity.subject, identity.session or "", data)


ROUTES = [list_accounts, add_account, change_account, remove_account, change_password]
