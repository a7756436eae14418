"""The calls of MEGA, and what its numbers mean."""

import secrets
from typing import Annotated, Any

import msgspec

from quartet.downloads.hosters.builtin._answers import (
    AWAY,
    BAD_LOGIN,
    GONE,
    LOCKED,
    SLOWER,
    STRANGE,
    USED_UP,
    Moment,
    Refusal,
    shaped,
)
from quartet.downloads.hosters.sdk import (
    AccountProblem,
    Context,
    HosterLimit,
    Page,
    PluginError,
    Temporary,
    Text,
)
from quartet.downloads.hosters.shapes import Address, Size
from quartet.kernel.retry_after import retry_after

EXPIRED_SESSION = -15
_OVER_QUOTA = (-17, -24)
_TWO_FACTORS = Refusal(
    AccountProblem,
    Text(
        de="Konten mit Zwei-Faktor-Anmeldung gehen hier nicht.",
        en="Accounts with two-factor login do not work here.",
    ),
)
_CHALLENGE = Refusal(
    Temporary,
    Text(
        de="MEGA verlangt gerade eine Rechenaufgabe vor der Anmeldung.",
        en="MEGA asks for a puzzle before logging in at the moment.",
    ),
    600,
)
REFUSALS = {
    -2: GONE,
    -3: AWAY,
    -4: SLOWER,
    -6: AWAY,
    -9: GONE,
    -11: GONE,
    -13: BAD_LOGIN,
    EXPIRED_SESSION: LOCKED,
    -16: GONE,
    -18: AWAY,
    -26: _TWO_FACTORS,
}


class Refused(Exception):
    """A number instead of an answer."""

    def __init__(self, number: int, seconds: float | None = None) -> None:
        super().__init__(number)
        self.number = number
        self.seconds = seconds

    def error(self) -> PluginError:
        if self.number in _OVER_QUOTA:
            return HosterLimit(USED_UP.text, seconds=self.seconds or USED_UP.seconds)
        return REFUSALS.get(self.number, AWAY).error()


class FileAnswer(msgspec.Struct):
    """`g` is where the bytes are; an error may come beside the size, with the seconds it lasts."""

    s: Size = 0
    at: str = ""
    g: Address | None = None
    e: int = 0
    tl: float | None = None


class Node(msgspec.Struct):
    """Of a folder: `t` is 0 for a file and 1 for a folder, `k` its locked key."""

    h: Annotated[str, msgspec.Meta(pattern=r"^[\w-]{8}$")]
    p: str = ""
    t: int = 0
    a: str = ""
    k: str = ""
    s: Size = 0


class FolderAnswer(msgspec.Struct):
    f: list[Node]


class Salt(msgspec.Struct):
    v: int
    s: str = ""


class Login(msgspec.Struct):
    k: str
    privk: str = ""
    csid: str = ""


class Quota(msgspec.Struct):
    utype: int
    suntil: Moment | None = None
    mxfer: Size = 0
    caxfer: Size = 0


async def command(ctx: Context, base: str, asked: dict[str, Any], **query: str) -> object:
    """One command; raises `Refused` for a number."""
    given = {"id": str(secrets.randbelow(2**31)), **query}
    page = await ctx.http.post(f"{base}/cs", query=given, json=[asked])
    if page.status == 402:
        raise _CHALLENGE.error()
    if page.status in (429, 509):
        raise Refused(_OVER_QUOTA[0], _seconds(page))
    if page.status >= 500:
        raise AWAY.error()
    answer = page.json()
    if isinstance(answer, list) and answer:
        answer = answer[0]
    if isinstance(answer, int):
        raise Refused(answer)
    if not isinstance(answer, dict):
        raise STRANGE.error()
    return answer


async def file_answer(ctx: Context, base: str, asked: dict[str, Any], **query: str) -> FileAnswer:
    answer = shaped(await command(ctx, base, {"a": "g", **asked}, **query), FileAnswer)
    if answer.e:
        raise Refused(answer.e, answer.tl)
    if not answer.at:
        raise STRANGE.error()
    return answer


def _seconds(page: Page) -> float | None:
    return retry_after({"Retry-After": page.headers.get("x-mega-time-left", "")})
