"""Authentication: passwords, sessions, tokens, proxy headers and lock-out."""

from quartet.kernel.auth.cookies import http_only_cookie, read_cookie
from quartet.kernel.auth.credentials import (
    basic_password,
    bearer_token,
    proxy_user,
    require_own_host,
)
from quartet.kernel.auth.passwords import Passwords, check_password_rules
from quartet.kernel.auth.sessions import Sessions
from quartet.kernel.auth.tables import sessions_table
from quartet.kernel.auth.throttle import Throttle, client_key
from quartet.kernel.auth.tokens import csrf_token, hash_token, new_token, secrets_match
from quartet.kernel.auth.types import Session

__all__ = [
    "Passwords",
    "Session",
    "Sessions",
    "Throttle",
    "basic_password",
    "bearer_token",
    "check_password_rules",
    "client_key",
    "csrf_token",
    "hash_token",
    "http_only_cookie",
    "new_token",
    "proxy_user",
    "read_cookie",
    "require_own_host",
    "secrets_match",
    "sessions_table",
]
