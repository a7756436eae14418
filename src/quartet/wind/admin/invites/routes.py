import msgspec
from litestar import delete, get, post

from quartet.kernel.web import Given, JSONBody, Request
from quartet.wind.accounts.asking import ADMIN, Id, account_of
from quartet.wind.accounts.invites import Invites
from quartet.wind.accounts.types import Invite, MadeInvite, NewInvite


class InviteList(msgspec.Struct, frozen=True):
    invites: list[Invite]


@get("/api/admin/invites", **ADMIN)
async def admin_invite_list(invites: Given[Invites]) -> InviteList:
    """Invites, used ones as well."""
    return InviteList(await invites.list())


@post("/api/admin/invites", **ADMIN)
async def admin_invite_make(
    request: Request, data: JSONBody[NewInvite], invites: Given[Invites]
) -> MadeInvite:
    """Makes an invite; its code is shown this once."""
    return await invites.make(data, account_of(request))


@delete("/api/admin/invites/{invite:int}", **ADMIN)
async def admin_invite_revoke(invite: Id, invites: Given[Invites]) -> None:
    """Takes an invite back."""
    await invites.revoke(invite)


ROUTES = [admin_invite_list, admin_invite_make, admin_invite_revoke]
