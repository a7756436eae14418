"""Credentials in request headers."""

import base64
import binascii

from quartet.kernel.addresses import TrustedProxies, host_name, parse_address
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection, header


def _authorization(connection: Connection, scheme: str) -> str | None:
    kind, _, value = header(connection, "authorization").partition(" ")
    return value.strip() if kind.lower() == scheme and value.strip() else None


def bearer_token(connection: Connection) -> str | None:
    return _authorization(connection, "bearer")


def basic_password(connection: Connection) -> str | None:
    """Return the password of HTTP Basic authentication; the user name is ignored."""
    encoded = _authorization(connection, "basic")
    if encoded is None:
        return None
    try:
        pair = base64.b64decode(encoded, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    _user, colon, password = pair.partition(":")
    return password if colon else None


def proxy_user(connection: Connection, name: str, proxies: TrustedProxies) -> str | None:
    """Return the user from the authentication header of a trusted proxy, otherwise None."""
    peer = connection.scope.get("peer")
    if not isinstance(peer, str) or not proxies.trusts(peer):
        return None
    user = header(connection, name.lower())
    if user:
        require_own_host(connection)
    return user or None


def require_own_host(connection: Connection) -> None:
    """Raise AppError unless the Host header names this service.

    Required wherever a request needs no secret. Otherwise a web page on a foreign host name that
    resolves to this machine (DNS rebinding) could send any header and read the response. An IP
    address is safe, because DNS is not involved.
    """
    own_hosts: frozenset[str] = connection.scope["own_hosts"]  # type: ignore[typeddict-item]
    name = host_name(header(connection, "host"))
    if name not in own_hosts and ("%" in name or parse_address(name) is None):
        raise AppError(403, "host_not_allowed")
