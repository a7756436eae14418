import time
from importlib import import_module
from typing import Any

from msgspec.structs import replace

from quartet.kernel.db import Database
from quartet.kernel.service import Kernel
from quartet.media.catalog import store
from quartet.media.catalog.demo import Demo
from quartet.media.catalog.provider_client import ProviderClient
from quartet.media.catalog.types import (
    Candidate,
    Details,
    DetailsProvider,
    Episode,
    PictureWidths,
    Provider,
    ProviderInfo,
)
from quartet.media.options.service import OptionsService
from quartet.media.options.types import Options
from quartet.media.types import Kind, Order, ProviderName

_BOTH: tuple[Kind, ...] = ("movie", "series")
_EVERY_ORDER: tuple[Order, ...] = ("aired", "dvd", "absolute")


class Catalog:
    """Creates the catalog providers from the settings. In a demo only the offline one is used."""

    def __init__(self, kernel: Kernel[Any], options: OptionsService, *, demo: bool) -> None:
        self._kernel = kernel
        self._options = options
        self._demo = demo
        self._cache = DatabaseCache(kernel.db)
        self._sources: dict[tuple[ProviderName, str], ProviderClient] = {}

    async def provider(self, kind: Kind, name: ProviderName | None = None) -> Provider:
        """Return the provider with this name, or the configured one for the kind."""
        options = await self._options.current()
        chosen = options.movie_provider if kind == "movie" else options.series_provider
        return self._build(name or chosen, options)

    async def search(
        self, kind: Kind, title: str, year: int | None, name: ProviderName | None
    ) -> list[Candidate]:
        provider = await self.provider(kind, name)
        search = provider.search_movie if kind == "movie" else provider.search_series
        return await search(title, year)

    async def episodes(self, name: ProviderName, id: str, order: Order | None) -> list[Episode]:
        provider = await self.provider("series", name)
        return await provider.episodes(id, order or (await self._options.current()).order)

    async def details(
        self,
        candidate: Candidate,
        widths: PictureWidths,
        order: Order | None = None,
        language: str | None = None,
    ) -> Details:
        """Return texts and pictures of an entry; some catalogs have only a poster."""
        options = await self._options.current()
        options = replace(options, language=language or options.language)
        provider = self._build(candidate.provider, options)
        found = Details()
        if isinstance(provider, DetailsProvider):
            found = await provider.details(
                candidate.kind, candidate.id, widths, order or options.order
            )
        pictures = found.pictures
        poster = pictures.poster or candidate.poster
        return replace(found, pictures=replace(pictures, poster=poster))

    async def providers(self) -> list[ProviderInfo]:
        keys = (await self._options.current()).keys
        return [
            ProviderInfo("tmdb", _BOTH, _EVERY_ORDER, True, bool(keys.tmdb)),
            ProviderInfo("tvdb", _BOTH, _EVERY_ORDER, True, bool(keys.tvdb)),
            ProviderInfo("tvmaze", ("series",), _EVERY_ORDER, False, True),
            ProviderInfo("anilist", _BOTH, ("aired", "absolute"), False, True),
            ProviderInfo("omdb", _BOTH, ("aired", "absolute"), True, bool(keys.omdb)),
            ProviderInfo("wikidata", ("movie",), (), False, True),
            ProviderInfo("demo", _BOTH, ("aired", "absolute"), False, True),
        ]

    def _build(self, name: ProviderName, options: Options) -> Provider:
        if self._demo or name == "demo":
            return Demo()
        client, keys, language = self._client(name, options), options.keys, options.language
        # Imported here, because few of them are used.
        match name:
            case "tmdb":
                from quartet.media.catalog.tmdb import Tmdb

                return Tmdb(client, keys.tmdb, language)
            case "tvdb":
                from quartet.media.catalog.tvdb import Tvdb

                return Tvdb(client, keys.tvdb, keys.tvdb_pin, language)
            case "tvmaze":
                from quartet.media.catalog.tvmaze import TvMaze

                return TvMaze(client)
            case "anilist":
                from quartet.media.catalog.anilist import AniList

                return AniList(client, language)
            case "omdb":
                from quartet.media.catalog.omdb import Omdb

                return Omdb(client, keys.omdb)
            case "wikidata":
                from quartet.media.catalog.wikidata import Wikidata

                return Wikidata(client, language)

    def _client(self, name: ProviderName, options: Options) -> ProviderClient:
        """Reuse the client, because it limits the request rate."""
        default = import_module(f"quartet.media.catalog.{name}")
        address = options.addresses.get(name, default.ADDRESS)
        if (name, address) not in self._sources:
            outbound = self._kernel.outbound
            self._sources[name, address] = ProviderClient(
                name, address, outbound, self._cache, default.PER_SECOND
            )
        return self._sources[name, address]


class DatabaseCache:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def get(self, key: str) -> str | None:
        return await self._db.read(store.answer, key, int(time.time()))

    async def put(self, key: str, value: str, expires_at: int) -> None:
        now = int(time.time())
        await self._db.write(lambda tx: store.keep(tx.conn, key, value, now, expires_at))
