from typing import Annotated, Any

import msgspec
from litestar import Response, delete, get, post, put
from litestar.params import QueryParameter

from quartet.kernel.web import Injected, JSONBody, Request
from quartet.wind.accounts.current_user import ADMIN, Id, account_of
from quartet.wind.accounts.invites import Invites
from quartet.wind.accounts.recovery_links import PasswordResets
from quartet.wind.accounts.types import (
    Invite,
    MadeInvite,
    NewInvite,
    RecoveryLink,
    Role,
    UserPage,
    UserShown,
)
from quartet.wind.accounts.users import Users


class NewRole(msgspec.Struct, frozen=True):
    role: Role


@get("/api/admin/users", **ADMIN)
async def admin_user_list(
    users: Injected[Users],
    q: Annotated[str, QueryParameter(max_length=200)] = "",
    offset: Annotated[int, QueryParameter(ge=0, le=1_000_000_000)] = 0,
    limit: Annotated[int, QueryParameter(ge=1, le=200)] = 50,
) -> UserPage:
    """Accounts, found by name or e-mail address."""
    return await users.list(q, offset, limit)


@get("/api/admin/users/{user:int}", **ADMIN)
async def admin_user(user: Id, users: Injected[Users]) -> UserShown:
    """One account."""
    return await users.get(user)


@put("/api/admin/users/{user:int}/role", audit="role_changed", **ADMIN)
async def admin_user_role(user: Id, data: JSONBody[NewRole], users: Injected[Users]) -> UserShown:
    """Grant or revoke the admin role."""
    return await users.set_role(user, data.role)


@post("/api/admin/users/{user:int}/disable", status_code=200, audit="account_disabled", **ADMIN)
async def admin_user_disable(user: Id, users: Injected[Users]) -> UserShown:
    """Disable an account without deleting it."""
    return await users.disable(user)


@post("/api/admin/users/{user:int}/enable", status_code=200, audit="account_enabled", **ADMIN)
async def admin_user_enable(user: Id, users: Injected[Users]) -> UserShown:
    """Enable an account again."""
    return await users.enable(user)


@post("/api/admin/users/{user:int}/signout", status_code=200, audit="sessions_ended", **ADMIN)
async def admin_user_sign_out(user: Id, users: Injected[Users]) -> UserShown:
    """Sign a user out of every browser."""
    return await users.sign_out(user)


@post("/api/admin/users/{user:int}/confirm-email", status_code=200, **ADMIN)
async def admin_user_confirm_email(user: Id, users: Injected[Users]) -> UserShown:
    """Confirm the address of an account on behalf of its owner."""
    return await users.confirm_email(user)


@post(
    "/api/admin/users/{user:int}/reset-link", status_code=200, audit="reset_link_created", **ADMIN
)
async def admin_user_reset_link(
    user: Id, password_resets: Injected[PasswordResets]
) -> RecoveryLink:
    """Create a link with which a user sets a new password or passkey. It is only shown here."""
    return await password_resets.make(user)


@get("/api/admin/users/{user:int}/export", audit="exported", **ADMIN)
async def admin_user_export(user: Id, users: Injected[Users]) -> Response[dict[str, Any]]:
    """Download all data stored about a user."""
    name = f'attachment; filename="account-{user}.json"'
    return Response(
        await users.export(user),
        media_type="application/json",
        headers={"content-disposition": name},
    )


@delete("/api/admin/users/{user:int}", audit="deleted", **ADMIN)
async def admin_user_delete(user: Id, users: Injected[Users]) -> None:
    """Delete an account and all its data."""
    await users.delete(user)


class InviteList(msgspec.Struct, frozen=True):
    invites: list[Invite]


@get("/api/admin/invites", **ADMIN)
async def admin_invite_list(invites: Injected[Invites]) -> InviteList:
    """All invites, including used ones."""
    return InviteList(await invites.list())


@post("/api/admin/invites", audit="invite_created", **ADMIN)
async def admin_invite_make(
    request: Request, data: JSONBody[NewInvite], invites: Injected[Invites]
) -> MadeInvite:
    """Create an invite. Its code is only shown in this response."""
    return await invites.make(data, account_of(request))


@delete("/api/admin/invites/{invite:int}", audit="deleted", **ADMIN)
async def admin_invite_revoke(invite: Id, invites: Injected[Invites]) -> None:
    """Revoke an invite."""
    await invites.revoke(invite)


ROUTES = [
    admin_user_list,
    admin_user,
    admin_user_role,
    admin_user_disable,
    admin_user_enable,
    admin_user_sign_out,
    admin_user_confirm_email,
    admin_user_reset_link,
    admin_user_export,
    admin_user_delete,
    admin_invite_list,
    admin_invite_make,
    admin_invite_revoke,
]
