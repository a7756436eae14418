from typing import Annotated

from litestar import get
from litestar.params import FromQuery
from msgspec import Meta

from quartet.kernel.web import Injected
from quartet.media.catalog.service import Catalog
from quartet.media.catalog.types import Candidate, ProviderInfo
from quartet.media.types import Kind, ProviderName


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


ROUTES = [list_providers, search_catalog]
