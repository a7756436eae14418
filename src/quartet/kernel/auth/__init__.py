"""Who may come in: passwords, sessions, tokens, trusted headers, and a brake on guessing."""

from quartet.kernel.auth.cookies import cookie_in, own_cookie
from quartet.kernel.auth.credentials import basic_password, bearer_token, proxy_user
from quartet.kernel.auth.passwords import Passwords, check_password_rules
from quartet.kernel.auth.sessions import Sessions
from quartet.kernel.auth.tables import sessions_table
from quartet.kernel.auth.throttle import Throttle, client_key
from quartet.kernel.auth.tokens import csrf_token, hash_token, new_token, same
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
    "cookie_in",
    "csrf_token",
    "hash_token",
    "new_token",
    "own_cookie",
    "proxy_user",
    "same",
    "sessions_table",
]
