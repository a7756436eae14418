"""Cookies besides the session's: of a passkey ceremony, and of a browser that was in before."""

from litestar.datastructures import Cookie

from quartet.kernel.service import Connection, header
from quartet.wind.accounts.passkeys import CEREMONY_SECONDS
from quartet.wind.accounts.service import HALF_A_YEAR

_CEREMONY = "quartet_wind_ceremony"
_KNOWN = "quartet_wind_known"


def ceremony_cookie(connection: Connection, token: str) -> Cookie:
    return _cookie(connection, _CEREMONY, token, CEREMONY_SECONDS)


def no_ceremony(connection: Connection) -> Cookie:
    return _cookie(connection, _CEREMONY, "", 0)


def ceremony_of(connection: Connection) -> str:
    return _value(connection, _CEREMONY)


def known_cookie(connection: Connection, mark: str) -> Cookie:
    return _cookie(connection, _KNOWN, mark, HALF_A_YEAR)


def mark_in(connection: Connection) -> str:
    return _value(connection, _KNOWN)


def _cookie(connection: Connection, name: str, value: str, seconds: int) -> Cookie:
    return Cookie(
        key=_named(connection, name),
        value=value,
        path="/",
        max_age=seconds,
        httponly=True,
        samesite="strict",
        secure=_is_secure(connection),
    )


def _value(connection: Connection, name: str) -> str:
    wanted = _named(connection, name)
    pairs = (each.strip().partition("=") for each in header(connection, "cookie").split(";"))
    return next((value for key, _, value in pairs if key == wanted), "")


def _named(connection: Connection, name: str) -> str:
    # As with sessions: over HTTPS no other host can set it.
    return f"__Host-{name}" if _is_secure(connection) else name


def _is_secure(connection: Connection) -> bool:
    return connection.scope["scheme"] in ("https", "wss")
