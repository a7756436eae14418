"""The sessions of the signed-in user: list and end them."""

from litestar import delete, get, post
from litestar.params import FromPath

from quartet.kernel.auth.sessions import Sessions
from quartet.kernel.auth.types import ShownSessions
from quartet.kernel.web import Injected, Request, identity_of


@get("/api/sessions")
async def list_sessions(request: Request, sessions: Injected[Sessions]) -> ShownSessions:
    """List the browsers that are signed in, newest first."""
    return await sessions.shown(identity_of(request))


@delete("/api/sessions/{session_id:str}", audit="sessions_ended")
async def end_session(
    request: Request, session_id: FromPath[str], sessions: Injected[Sessions]
) -> None:
    """Sign out one browser."""
    await sessions.end_one(identity_of(request), session_id)


@post("/api/sessions/end-others", status_code=204, audit="sessions_ended")
async def end_other_sessions(request: Request, sessions: Injected[Sessions]) -> None:
    """Sign out all other browsers."""
    await sessions.end_others(identity_of(request))


ROUTES = [list_sessions, end_session, end_other_sessions]
