from litestar import Response, delete, get, patch, post, put
from litestar.params import FromPath

from quartet.kernel.audit import audit_action
from quartet.kernel.auth import Sessions, client_key
from quartet.kernel.service import Identity
from quartet.kernel.web import PUBLIC, Injected, JSONBody, Request, identity_of
from quartet.sync.accounts.access import READER
from quartet.sync.accounts.invitations import Invitations
from quartet.sync.accounts.service import Accounts
from quartet.sync.accounts.types import (
    AcceptedInvitation,
    AccountChange,
    AccountInvitation,
    InvitationQuestion,
    InvitedAccount,
    NewAccount,
    PasswordChange,
    ShownAccount,
)


@get("/api/accounts")
async def list_accounts(accounts: Injected[Accounts]) -> list[ShownAccount]:
    """List the accounts in addition to the first admin."""
    return await accounts.page()


@post("/api/accounts", status_code=201, audit="account_created")
async def add_account(data: JSONBody[NewAccount], accounts: Injected[Accounts]) -> ShownAccount:
    """Add an account with a role and the devices whose folders it sees."""
    return await accounts.add(data)


@patch("/api/accounts/{name:str}", status_code=200)
async def change_account(
    request: Request,
    name: FromPath[str],
    data: JSONBody[AccountChange],
    accounts: Injected[Accounts],
) -> ShownAccount:
    """Change the role, the devices or the password of an account."""
    changed = await accounts.change(name, data)
    if data.role is not None or data.devices is not None:
        audit_action("role_changed", request)
    if data.password is not None:
        audit_action("password_changed", request)
    return changed


@delete("/api/accounts/{name:str}", status_code=204, audit="deleted")
async def remove_account(name: FromPath[str], accounts: Injected[Accounts]) -> None:
    """Remove an account and sign it out."""
    await accounts.remove(name)


@put("/api/password", status_code=204, audit="password_changed", **READER)
async def change_password(
    request: Request, data: JSONBody[PasswordChange], accounts: Injected[Accounts]
) -> None:
    """Change the own password; other browsers are signed out."""
    await accounts.change_password(client_key(request), identity_of(request), data)


@post("/api/accounts/{name:str}/invitation", status_code=201, audit="invite_created")
async def invite(name: FromPath[str], invitations: Injected[Invitations]) -> AccountInvitation:
    """Create a link with which a person sets the password of an account, once and for a week."""
    return await invitations.create(name)


@post("/api/invitations/look", status_code=200, **PUBLIC)
async def look_at_invitation(
    request: Request, data: JSONBody[InvitationQuestion], invitations: Injected[Invitations]
) -> InvitedAccount:
    """Return the account of an invitation link; the token is in the body, so that no log has it."""
    return await invitations.look(client_key(request), data.token)


@post("/api/invitations/accept", status_code=204, audit="password_changed", **PUBLIC)
async def accept_invitation(
    request: Request,
    data: JSONBody[AcceptedInvitation],
    invitations: Injected[Invitations],
    sessions: Injected[Sessions],
) -> Response[None]:
    """Set the password of an invited account, and sign the person in."""
    name, token = await invitations.accept(request, data)
    # The audit log names the account.
    request.scope["state"]["identity"] = Identity(name, "session")
    return Response(None, status_code=204, cookies=[sessions.cookie(request, token)])


ROUTES = [
    list_accounts,
    add_account,
    change_account,
    remove_account,
    change_password,
    invite,
    look_at_invitation,
    accept_invitation,
]
