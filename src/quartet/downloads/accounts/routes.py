from litestar import delete, get, patch, post
from litestar.params import FromPath

from quartet.downloads.accounts.importing import AccountImport
from quartet.downloads.accounts.service import Accounts
from quartet.downloads.accounts.types import (
    AccountChange,
    AccountShown,
    AddedAccount,
    ImportedAccounts,
    NewAccount,
)
from quartet.kernel.web import Injected, JSONBody, Request, text_body

_FILE = text_body("application/octet-stream")


@get("/api/accounts")
async def list_accounts(accounts: Injected[Accounts]) -> list[AccountShown]:
    """List the hoster accounts, without their secrets."""
    return await accounts.shown()


@post("/api/accounts", status_code=200)
async def add_account(data: JSONBody[NewAccount], accounts: Injected[Accounts]) -> AddedAccount:
    """Add a hoster account and check it in the background."""
    return AddedAccount(await accounts.add(data))


@post("/api/accounts/import", status_code=200, operation_class=_FILE)
async def import_accounts(
    request: Request, account_import: Injected[AccountImport]
) -> ImportedAccounts:
    """Add the accounts of JDownloader, and check them in the background.

    The body is `cfg/org.jdownloader.settings.AccountSettings.accounts.ejs` in its folder. Accounts
    of hosters without a plugin are listed in `refused`.
    """
    return await account_import.add(await request.body())


@patch("/api/accounts/{account_id:int}", status_code=204)
async def change_account(
    account_id: FromPath[int], data: JSONBody[AccountChange], accounts: Injected[Accounts]
) -> None:
    """Change a hoster account.

    New credentials end its session and are checked in the background.
    """
    await accounts.change(account_id, data)


@delete("/api/accounts/{account_id:int}", status_code=204, audit="deleted")
async def delete_account(account_id: FromPath[int], accounts: Injected[Accounts]) -> None:
    """Delete a hoster account and its session."""
    await accounts.remove(account_id)


@post("/api/accounts/{account_id:int}/check", status_code=204)
async def check_account(account_id: FromPath[int], accounts: Injected[Accounts]) -> None:
    """Log in at the hoster and update premium state and traffic, in the background."""
    await accounts.check(account_id)


ROUTES = [
    list_accounts,
    add_account,
    import_accounts,
    change_account,
    delete_account,
    check_account,
]
