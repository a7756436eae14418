"""HttpOnly cookies."""

from typing import Literal

from litestar.datastructures import Cookie

from quartet.kernel.service import Connection, header

SameSite = Literal["lax", "strict"]


def http_only_cookie(
    connection: Connection, name: str, value: str, seconds: int, same_site: SameSite
) -> Cookie:
    """Make a cookie that scripts cannot read. `seconds=0` deletes it in the browser."""
    return Cookie(
        key=_cookie_name(connection, name),
        value=value,
        path="/",
        max_age=seconds,
        httponly=True,
        samesite=same_site,
        secure=is_secure(connection),
    )


def read_cookie(connection: Connection, name: str) -> str:
    """Return the value of a cookie, or ""."""
    wanted = _cookie_name(connection, name)
    pairs = (each.strip().partition("=") for each in header(connection, "cookie").split(";"))
    return next((value for key, _, value in pairs if key == wanted and value), "")


def _cookie_name(connection: Connection, name: str) -> str:
    # Browsers accept the __Host- prefix only over HTTPS, and only from the exact host.
    return f"__Host-{name}" if is_secure(connection) else name


def is_secure(connection: Connection) -> bool:
    """Return whether cookies require HTTPS.

    They always do if the public URL is one of HTTPS: a proxy may not send `X-Forwarded-Proto`, or
    may not be trusted.
    """
    scope = connection.scope
    return bool(scope.get("public_https")) or scope["scheme"] in ("https", "wss")
