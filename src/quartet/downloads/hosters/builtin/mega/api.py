"""MEGA's API and its error numbers."""

import secrets
from typing import Annotated, Any

import msgspec

from quartet.downloads.hosters.builtin._responses import (
    BAD_LOGIN,
    FILE_GONE,
    LOCKED,
    RATE_LIMITED,
    TRAFFIC_USED_UP,
    UNAVAILABLE,
    UNEXPECTED,
    KnownError,
    Timestamp,
    converted,
)
from quartet.downloads.hosters.plugin_types import Address, Size
from quartet.downloads.hosters.sdk import (
    AccountProblem,
    Context,
    HosterLimit,
    Page,
    PluginError,
    Temporary,
    Text,
)
from quartet.kernel.retry_after import retry_after

EXPIRED_SESSION = -15
_OVER_QUOTA = (-17, -24)
_TWO_FACTORS = KnownError(
    AccountProblem,
    Text(
        de="Konten mit Zwei-Faktor-Anmeldung gehen hier nicht.",
        en="Accounts with two-factor login do not work here.",
    ),
)
_CHALLENGE = KnownError(
    Temporary,
    Text(
        de="MEGA verlangt gerade eine Rechenaufgabe vor der Anmeldung.",
        en="MEGA asks for a puzzle before logging in at the moment.",
    ),
    600,
)
ERRORS = {
    -2: FILE_GONE,
    -3: UNAVAILABLE,
    -4: RATE_LIMITED,
    -6: UNAVAILABLE,
    -9: FILE_GONE,
    -11: FILE_GONE,
    -13: BAD_LOGIN,
    EXPIRED_SESSION: LOCKED,
    -16: FILE_GONE,
    -18: UNAVAILABLE,
    -26: _TWO_FACTORS,
}


class MegaError(Exception):
    """MEGA returned an error number."""

    def __init__(self, number: int, seconds: float | None = None) -> None:
        super().__init__(number)
        self.number = number
        self.seconds = seconds

    def error(self) -> PluginError:
        if self.number in _OVER_QUOTA:
            return HosterLimit(
                TRAFFIC_USED_UP.text, seconds=self.seconds or TRAFFIC_USED_UP.seconds
            )
        return ERRORS.get(self.number, UNAVAILABLE).error()


class FileAnswer(msgspec.Struct):
    """`g` is the file address; `e` is an error number and `tl` the seconds it lasts."""

    s: Size = 0
    at: str = ""
    g: Address | None = None
    e: int = 0
    tl: float | None = None


class Node(msgspec.Struct):
    """An entry of a folder: `t` is 0 for a file and 1 for a folder, `k` its encrypted key."""

    h: Annotated[str, msgspec.Meta(pattern=r"^[\w-]{8}$")]
    p: str = ""
    t: int = 0
    a: str = ""
    k: str = ""
    s: Size = 0


class FolderAnswer(msgspec.Struct):
    f: list[Node]


class SaltAnswer(msgspec.Struct):
    v: int
    s: str = ""


class LoginAnswer(msgspec.Struct):
    k: str
    privk: str = ""
    csid: str = ""


class QuotaAnswer(msgspec.Struct):
    utype: int
    suntil: Timestamp | None = None
    mxfer: Size = 0
    caxfer: Size = 0


async def command(ctx: Context, base: str, request: dict[str, Any], **query: str) -> object:
    """Send one command; raises `MegaError` if an error number is returned."""
    given = {"id": str(secrets.randbelow(2**31)), **query}
    page = await ctx.http.post(f"{base}/cs", query=given, json=[request])
    if page.status == 402:
        raise _CHALLENGE.error()
    if page.status in (429, 509):
        raise MegaError(_OVER_QUOTA[0], _seconds(page))
    if page.status >= 500:
        raise UNAVAILABLE.error()
    answer = page.json()
    if isinstance(answer, list) and answer:
        answer = answer[0]
    if isinstance(answer, int):
        raise MegaError(answer)
    if not isinstance(answer, dict):
        raise UNEXPECTED.error()
    return answer


async def file_answer(ctx: Context, base: str, request: dict[str, Any], **query: str) -> FileAnswer:
    answer = converted(await command(ctx, base, {"a": "g", **request}, **query), FileAnswer)
    if answer.e:
        raise MegaError(answer.e, answer.tl)
    if not answer.at:
        raise UNEXPECTED.error()
    return answer


def _seconds(page: Page) -> float | None:
    return retry_after({"Retry-After": page.headers.get("x-mega-time-left", "")})
