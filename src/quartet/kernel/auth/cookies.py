"""Cookies for nobody's eyes but ours."""

from typing import Literal

from litestar.datastructures import Cookie

from quartet.kernel.service import Connection, header

SameSite = Literal["lax", "strict"]


def http_only_cookie(
    connection: Connection, name: str, value: str, seconds: int, same_site: SameSite
) -> Cookie:
    """No script reads it; without seconds the browser forgets it."""
    return Cookie(
        key=_named(connection, name),
        value=value,
        path="/",
        max_age=seconds,
        httponly=True,
        samesite=same_site,
        secure=_is_secure(connection),
    )


def read_cookie(connection: Connection, name: str) -> str:
    """Empty when there is none."""
    wanted = _named(connection, name)
    pairs = (each.strip().partition("=") for each in header(connection, "cookie").split(";"))
    return next((value for key, _, value in pairs if key == wanted and value), "")


def _named(connection: Connection, name: str) -> str:
    # Browsers accept the prefix over HTTPS only, and then let no other host set it.
    return f"__Host-{name}" if _is_secure(connection) else name


def _is_secure(connection: Connection) -> bool:
    return connection.scope["scheme"] in ("https", "wss")
