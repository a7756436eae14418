from litestar import get, post

from quartet.kernel.web import Injected, JSONBody
from quartet.media.match.service import Matcher
from quartet.media.match.types import Override, OverrideKey


@get("/api/overrides")
async def list_overrides(matcher: Injected[Matcher]) -> list[Override]:
    """Lists the matches learned from users' choices."""
    return await matcher.overrides()


@post("/api/overrides/forget", status_code=204)
async def forget_override(data: JSONBody[OverrideKey], matcher: Injected[Matcher]) -> None:
    await matcher.forget(data)


ROUTES = [list_overrides, forget_override]
