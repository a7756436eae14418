"""Helpers for the built-in plugins: parsing of untrusted responses, and common errors."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Annotated, NamedTuple, TypeVar

import msgspec

from quartet.downloads.hosters.plugin_types import HashKind
from quartet.downloads.hosters.sdk import (
    AccountForm,
    AccountProblem,
    Context,
    Fatal,
    Hash,
    HosterLimit,
    Offline,
    Page,
    PluginError,
    Temporary,
    Text,
    Unsupported,
)
from quartet.kernel.retry_after import retry_after

T = TypeVar("T")

# Unix seconds, within the range that `AccountState` accepts.
Timestamp = Annotated[float, msgspec.Meta(ge=0, le=2**40)]

# An address that may be empty.
MaybeAddress = Annotated[str, msgspec.Meta(max_length=8000)]
MOST_CONNECTIONS = 64
LONGEST_HASH = 200

_UNEXPECTED_TEXT = Text(
    de="Die Antwort war nicht zu verstehen.",
    en="The answer could not be understood.",
)
_UNAVAILABLE_TEXT = Text(de="Gerade nicht erreichbar.", en="Cannot be reached at the moment.")
_RATE_LIMITED_TEXT = Text(de="Zu viele Anfragen.", en="Too many requests.")
_LONGEST_MESSAGE = 300


class PasswordNeeded(Fatal):
    """No password was sent, or a wrong one."""


class KnownError(NamedTuple):
    """The meaning of an error code or message of a hoster."""

    kind: type[PluginError]
    text: Text | None = None
    seconds: float | None = None

    def error(self) -> PluginError:
        return self.kind(self.text, seconds=self.seconds)


FILE_GONE = KnownError(Offline)
PASSWORD_PROTECTED = KnownError(PasswordNeeded)
NOT_SUPPORTED = KnownError(Unsupported)
UNAVAILABLE = KnownError(Temporary, _UNAVAILABLE_TEXT)
UNEXPECTED = KnownError(Temporary, _UNEXPECTED_TEXT)
RATE_LIMITED = KnownError(HosterLimit, _RATE_LIMITED_TEXT, 60)
TRAFFIC_USED_UP = KnownError(
    HosterLimit,
    Text(de="Das Kontingent ist aufgebraucht.", en="The allowance is used up."),
    1800,
)
BAD_KEY = KnownError(
    AccountProblem,
    Text(de="Der API-Schlüssel gilt nicht.", en="The API key is not valid."),
)
BAD_LOGIN = KnownError(
    AccountProblem,
    Text(de="Benutzername oder Passwort ist falsch.", en="User name or password is wrong."),
)
LOCKED = KnownError(
    AccountProblem,
    Text(de="Das Konto ist gesperrt.", en="The account is locked."),
)
NOT_PREMIUM = KnownError(
    AccountProblem,
    Text(de="Dafür ist ein Premium-Konto nötig.", en="This needs a premium account."),
)
PREMIUM_ONLY = KnownError(
    Fatal,
    Text(
        de="Diese Datei gibt es nur mit Premium-Konto.",
        en="This file needs a premium account.",
    ),
)


def error_of_code(table: Mapping[str, KnownError], code: str, message: str = "") -> PluginError:
    """Return the error for a code; unknown messages are shown as they are and retried."""
    if code in table:
        return table[code].error()
    message_text = (message or code)[:_LONGEST_MESSAGE]
    return Temporary(Text(de=message_text, en=message_text)) if message_text else UNEXPECTED.error()


def error_of_message(table: Mapping[str, KnownError], message_text: str) -> PluginError:
    """Return the error for a message, by the first keyword of the table that it contains."""
    word = next((word for word in table if word in message_text.lower()), "")
    return error_of_code(table, word, message_text)


def converted(answer: object, kind: type[T]) -> T:
    """Convert a decoded response; numbers may be sent as text, other deviations are errors."""
    try:
        return msgspec.convert(answer, kind, strict=False)
    except (msgspec.ValidationError, RecursionError):
        raise UNEXPECTED.error() from None


def parsed(page: Page, kind: type[T]) -> T:
    """Parse the JSON of a response of any status, because error responses may contain JSON too."""
    require_no_rate_limit(page)
    try:
        return converted(page.json(), kind)
    except Temporary:
        require_available(page)
        raise


def require_no_rate_limit(page: Page) -> Page:
    if page.status == 429:
        request = retry_after({"Retry-After": page.headers.get("retry-after", "")})
        raise HosterLimit(_RATE_LIMITED_TEXT, seconds=request or RATE_LIMITED.seconds)
    return page


def require_available(page: Page) -> Page:
    """Raise an error if the page reports too many requests or a server error."""
    if require_no_rate_limit(page).status >= 500:
        raise UNAVAILABLE.error()
    return page


async def with_password(ctx: Context, attempt: Callable[[str | None], Awaitable[T]]) -> T:
    """Try the password given with the link, if any, then ask the user until one works."""
    given = ctx.saved_password
    while True:
        try:
            return await attempt(given)
        except PasswordNeeded:
            given = await ctx.password(wrong=given is not None)


def secret_of(ctx: Context) -> str:
    return ctx.account.secret if ctx.account else ""


async def call(
    ctx: Context,
    address: str,
    *,
    query: Mapping[str, str] | None = None,
    form: Mapping[str, str] | None = None,
) -> Page:
    """Send a request with the account's key as bearer token; POST if there is a form."""
    headers = {"Authorization": f"Bearer {secret_of(ctx)}"}
    if form is None:
        return await ctx.http.get(address, headers=headers, query=query or {})
    return await ctx.http.post(address, headers=headers, query=query or {}, form=form)


def api_key(place: str) -> AccountForm:
    """Return the form for accounts with an API key, which the user finds at `place`."""
    return AccountForm(
        secret_label=Text(de="API-Schlüssel", en="API key"),
        help=Text(de=f"Zu finden auf {place}.", en=f"To be found at {place}."),
    )


def connections(count: int | None) -> int | None:
    """Return the allowed connections; some hosters send 0 for no limit."""
    return min(count, MOST_CONNECTIONS) if count and count > 0 else None


def hash_of(kind: HashKind, value: str | None) -> Hash | None:
    """Return the hash if it is present; it is validated later."""
    return Hash(kind, value) if value and len(value) <= LONGEST_HASH else None


def timestamp_of(text: str | None) -> float | None:
    """Parse an ISO date; return None if it is invalid."""
    try:
        when = datetime.fromisoformat(text or "")
        seconds = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return seconds if seconds >= 0 else None
