from litestar import get, post

from quartet.kernel.web import Injected
from quartet.sync.server_key.service import ServerKeys
from quartet.sync.server_key.types import ShownServerKey


@get("/api/server-key")
async def show_server_key(server_keys: Injected[ServerKeys]) -> ShownServerKey:
    """Return the fingerprint of the key by which devices recognise this server."""
    return server_keys.shown()


@post("/api/server-key/rotate", status_code=200, audit="server_key_rotated")
async def rotate_server_key(server_keys: Injected[ServerKeys]) -> ShownServerKey:
    """Replace the server's key; devices follow, because the old key signs the new one."""
    return await server_keys.rotate()


ROUTES = [show_server_key, rotate_server_key]
