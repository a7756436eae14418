from typing import Annotated

from litestar import get
from litestar.params import FromQuery
from msgspec import Meta

from quartet.kernel.web import Injected
from quartet.media.catalog.service import Catalog
from quartet.media.catalog.types import Candidate, Episode, ProviderInfo
from quartet.media.types import Kind, Order, ProviderName


@get("/api/catalog/providers")
async def list_providers(catalog: Injected[Catalog]) -> list[ProviderInfo]:
    """Lists the catalogs with their features, and whether each can be used."""
    return await catalog.providers()


@get("/api/catalog/search")
async def search_catalog(
    catalog: Injected[Catalog],
    kind: FromQuery[Kind],
    title: FromQuery[Annotated[str, Meta(min_length=1, max_length=200)]],
    year: FromQuery[int | None] = None,
    provider: FromQuery[ProviderName | None] = None,
) -> list[Candidate]:
    """Searches movies or series by title, to choose a match manually."""
    return await catalog.search(kind, title, year, provider)


@get("/api/catalog/episodes")
async def list_episodes(
    catalog: Injected[Catalog],
    provider: FromQuery[ProviderName],
    id: FromQuery[Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[^\x00]*$")]],
    order: FromQuery[Order | None] = None,
) -> list[Episode]:
    """Lists the episodes of a series, to correct the numbers of files."""
    return await catalog.episodes(provider, id, order)


ROUTES = [list_providers, search_catalog, list_episodes]
