from typing import Annotated

from litestar import Response, get
from litestar.params import FromQuery
from msgspec import Meta

from quartet.kernel.web import Injected
from quartet.media.posters.service import Posters

_KEPT = {"cache-control": "private, max-age=604800, immutable"}


@get("/api/posters", media_type="image/*")
async def read_poster(
    posters: Injected[Posters], url: FromQuery[Annotated[str, Meta(min_length=1, max_length=500)]]
) -> Response[bytes]:
    """Returns a poster by the address in a catalog entry's `poster`."""
    poster = await posters.get(url)
    return Response(poster.picture, media_type=poster.media_type, headers=_KEPT)


ROUTES = [read_poster]
