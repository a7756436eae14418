"""What the built-in hosters share: answers that cannot be trusted, and errors all of them have."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Annotated, NamedTuple, TypeVar

import msgspec

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
from quartet.downloads.hosters.shapes import HashKind
from quartet.kernel.retry_after import retry_after

T = TypeVar("T")

# Seconds since 1970, as far as `AccountState` takes them.
Moment = Annotated[float, msgspec.Meta(ge=0, le=2**40)]

# Empty where there is none.
MaybeAddress = Annotated[str, msgspec.Meta(max_length=8000)]
MOST_CONNECTIONS = 64
LONGEST_HASH = 200

_STRANGE = Text(
    de="Die Antwort war nicht zu verstehen.",
    en="The answer could not be understood.",
)
_AWAY = Text(de="Gerade nicht erreichbar.", en="Cannot be reached at the moment.")
_SLOWER = Text(de="Zu viele Anfragen.", en="Too many requests.")
_LONGEST_MESSAGE = 300


class PasswordNeeded(Fatal):
    """None was sent, or a wrong one."""


class Refusal(NamedTuple):
    """What a code or a text of a hoster means."""

    kind: type[PluginError]
    text: Text | None = None
    seconds: float | None = None

    def error(self) -> PluginError:
        return self.kind(self.text, seconds=self.seconds)


GONE = Refusal(Offline)
PROTECTED = Refusal(PasswordNeeded)
NOT_FOR_IT = Refusal(Unsupported)
AWAY = Refusal(Temporary, _AWAY)
STRANGE = Refusal(Temporary, _STRANGE)
SLOWER = Refusal(HosterLimit, _SLOWER, 60)
USED_UP = Refusal(
    HosterLimit,
    Text(de="Das Kontingent ist aufgebraucht.", en="The allowance is used up."),
    1800,
)
BAD_KEY = Refusal(
    AccountProblem,
    Text(de="Der API-Schlüssel gilt nicht.", en="The API key is not valid."),
)
BAD_LOGIN = Refusal(
    AccountProblem,
    Text(de="Benutzername oder Passwort ist falsch.", en="User name or password is wrong."),
)
LOCKED = Refusal(
    AccountProblem,
    Text(de="Das Konto ist gesperrt.", en="The account is locked."),
)
NOT_PREMIUM = Refusal(
    AccountProblem,
    Text(de="Dafür ist ein Premium-Konto nötig.", en="This needs a premium account."),
)
PREMIUM_ONLY = Refusal(
    Fatal,
    Text(
        de="Diese Datei gibt es nur mit Premium-Konto.",
        en="This file needs a premium account.",
    ),
)


def refused(table: Mapping[str, Refusal], code: str, message: str = "") -> PluginError:
    """What nobody knows yet is shown as it was said, and may pass."""
    if code in table:
        return table[code].error()
    said = (message or code)[:_LONGEST_MESSAGE]
    return Temporary(Text(de=said, en=said)) if said else STRANGE.error()


def refused_for(table: Mapping[str, Refusal], said: str) -> PluginError:
    """Of hosters whose errors are sentences: the first of these words that is in it decides."""
    word = next((word for word in table if word in said.lower()), "")
    return refused(table, word, said)


def shaped(answer: object, kind: type[T]) -> T:
    """Numbers may come as text; anything else that is not as documented is an error."""
    try:
        return msgspec.convert(answer, kind, strict=False)
    except (msgspec.ValidationError, RecursionError):
        raise STRANGE.error() from None


def answered(page: Page, kind: type[T]) -> T:
    """The JSON of an answer of any status; errors may have some, too."""
    calm(page)
    try:
        return shaped(page.json(), kind)
    except Temporary:
        reached(page)
        raise


def calm(page: Page) -> Page:
    if page.status == 429:
        asked = retry_after({"Retry-After": page.headers.get("retry-after", "")})
        raise HosterLimit(_SLOWER, seconds=asked or SLOWER.seconds)
    return page


def reached(page: Page) -> Page:
    """Of a page for people: neither too many requests nor a server in trouble."""
    if calm(page).status >= 500:
        raise AWAY.error()
    return page


async def with_password(ctx: Context, attempt: Callable[[str | None], Awaitable[T]]) -> T:
    """First with what came with the link, if anything, then with what a person answers."""
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
    """With the account's key as a bearer token; what has a form is posted."""
    headers = {"Authorization": f"Bearer {secret_of(ctx)}"}
    if form is None:
        return await ctx.http.get(address, headers=headers, query=query or {})
    return await ctx.http.post(address, headers=headers, query=query or {}, form=form)


def api_key(place: str) -> AccountForm:
    """The form for accounts that are a key, which is found at this place."""
    return AccountForm(
        secret_label=Text(de="API-Schlüssel", en="API key"),
        help=Text(de=f"Zu finden auf {place}.", en=f"To be found at {place}."),
    )


def connections(told: int | None) -> int | None:
    """Some say 0 and mean that there is no limit."""
    return min(told, MOST_CONNECTIONS) if told and told > 0 else None


def hash_of(kind: HashKind, value: str | None) -> Hash | None:
    """Whether it can be right is seen to elsewhere."""
    return Hash(kind, value) if value and len(value) <= LONGEST_HASH else None


def moment(text: str | None) -> float | None:
    """Of a date in ISO format; nothing for what is none."""
    try:
        when = datetime.fromisoformat(text or "")
        seconds = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return seconds if seconds >= 0 else None
