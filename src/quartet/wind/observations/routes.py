from typing import Annotated

from litestar import get
from litestar.params import FromPath, QueryParameter

from quartet.kernel.web import PUBLIC, Injected, Request
from quartet.wind.observations.service import Observations
from quartet.wind.observations.types import History, Live

Start = Annotated[str | None, QueryParameter(name="from", description="Unix seconds.")]
End = Annotated[
    str | None, QueryParameter(name="to", description="Unix seconds, 31 days later at most.")
]


@get("/api/stations/{slug:str}/live", **PUBLIC)
async def live(slug: FromPath[str], observations: Injected[Observations]) -> Live:
    """The latest measurements of a station and its TAF."""
    return await observations.live(slug)


@get("/api/stations/{slug:str}/history", **PUBLIC)
async def history(
    request: Request,
    slug: FromPath[str],
    observations: Injected[Observations],
    start: Start = None,
    end: End = None,
) -> History:
    """The measurements of a station in a period."""
    query = request.query_params
    return await observations.history(slug, query.getall("from", []), query.getall("to", []))


ROUTES = [live, history]
