"""Cookies other than the session's: the passkey ceremony and the known browser."""

from litestar.datastructures import Cookie

from quartet.kernel.auth import http_only_cookie, read_cookie
from quartet.kernel.service import Connection
from quartet.wind.accounts.ceremonies import CEREMONY_SECONDS
from quartet.wind.accounts.service import HALF_A_YEAR

_CEREMONY = "quartet_wind_ceremony"
_KNOWN = "quartet_wind_known"


def ceremony_cookie(connection: Connection, token: str) -> Cookie:
    return http_only_cookie(connection, _CEREMONY, token, CEREMONY_SECONDS, "strict")


def clear_ceremony_cookie(connection: Connection) -> Cookie:
    return http_only_cookie(connection, _CEREMONY, "", 0, "strict")


def ceremony_of(connection: Connection) -> str:
    return read_cookie(connection, _CEREMONY)


def known_cookie(connection: Connection, mark: str) -> Cookie:
    return http_only_cookie(connection, _KNOWN, mark, HALF_A_YEAR, "strict")


def known_browser_mark_in(connection: Connection) -> str:
    return read_cookie(connection, _KNOWN)
