from litestar import delete, get, patch, post
from litestar.params import FromPath

from quartet.downloads.server_logins.service import ServerLogins
from quartet.downloads.server_logins.types import NewServerLogin, ServerLogin, ServerLoginChange
from quartet.kernel.web import Injected, JSONBody


@get("/api/server-logins")
async def list_server_logins(server_logins: Injected[ServerLogins]) -> list[ServerLogin]:
    """List the logins for servers, without their passwords."""
    return await server_logins.all()


@post("/api/server-logins", status_code=204)
async def add_server_login(
    data: JSONBody[NewServerLogin], server_logins: Injected[ServerLogins]
) -> None:
    """Add a login for all links of a server: HTTP Basic, FTP or SFTP.

    `address` begins with `https://`, `http://`, `ftp://` or `sftp://`; what follows the port is
    dropped. The login is sent to this server only, and not if the link contains one.
    409 `server_login_exists`, `too_many_server_logins`.
    """
    await server_logins.add(data)


@patch("/api/server-logins/{login_id:int}", status_code=204)
async def change_server_login(
    login_id: FromPath[int],
    data: JSONBody[ServerLoginChange],
    server_logins: Injected[ServerLogins],
) -> None:
    """Change a login. Downloads use it from their next start on."""
    await server_logins.change(login_id, data)


@delete("/api/server-logins/{login_id:int}", audit="deleted")
async def remove_server_login(
    login_id: FromPath[int], server_logins: Injected[ServerLogins]
) -> None:
    """Delete a login."""
    await server_logins.remove(login_id)


ROUTES = [list_server_logins, add_server_login, change_server_login, remove_server_login]
