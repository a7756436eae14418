"""Admin page: the wind map, its caches, named places and leftover files."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from quartet.kernel.errors import AppError
from quartet.wind.admin import leftovers
from quartet.wind.admin.forecasts import AdminIncoming, AdminModel, AdminRuns
from quartet.wind.admin.leftovers import Leftover
from quartet.wind.basemap.service import BASEMAP, BUILT_IN, RELIEF, Maps
from quartet.wind.basemap.types import Extent
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.ingest.service import Ingest
from quartet.wind.map.service import TextureCount, WindMap
from quartet.wind.site.types import MapSpots

What = Literal["runs", "textures", "all"]


class AdminMapModel(msgspec.Struct, frozen=True, rename="camel"):
    """`bytes`: runs on disk; textures are rendered on request and kept in memory."""

    id: str
    run: int | None
    hours: int
    bytes: int
    textures: int
    texture_bytes: int
    incoming: AdminIncoming | None


class AdminArchive(msgspec.Struct, frozen=True, rename="camel"):
    """`own`: a file in the `maps` folder; otherwise the built-in world map."""

    extent: Extent
    bytes: int
    own: bool


class AdminMap(msgspec.Struct, frozen=True, rename="camel"):
    models: list[AdminMapModel]
    basemap: AdminArchive | None
    relief: AdminArchive | None
    cache_bytes: int
    cache_limit: int
    postponed_until: int | None


class Renew(msgspec.Struct, frozen=True, omit_defaults=True):
    """`runs`: look for new runs, of one model or all; `textures`: discard the rendered ones."""

    what: What
    model: str | None = None


class Cancel(msgspec.Struct, frozen=True, omit_defaults=True):
    model: str | None = None


class Cancelled(msgspec.Struct, frozen=True):
    """The models whose incoming run was cancelled."""

    models: list[str]


class Postpone(msgspec.Struct, frozen=True):
    """0 resumes fetching now."""

    hours: Annotated[int, Meta(ge=0, le=168)]


class Postponed(msgspec.Struct, frozen=True, rename="camel"):
    postponed_until: int | None


class SpotList(msgspec.Struct, frozen=True):
    places: MapSpots


class Leftovers(msgspec.Struct, frozen=True):
    leftovers: list[Leftover]
    bytes: int


class Removed(msgspec.Struct, frozen=True):
    removed: int
    bytes: int


class MapAdmin:
    def __init__(
        self,
        data: Path,
        runs: AdminRuns,
        maps: Maps,
        wind_map: WindMap,
        find_leftovers: Callable[[], list[Path]],
    ) -> None:
        self._data = data
        self._runs = runs
        self._maps = maps
        self._wind_map = wind_map
        self._find_leftovers = find_leftovers

    async def state(self) -> AdminMap:
        held = self._wind_map.held()
        basemap = await asyncio.to_thread(self._archive, BASEMAP)
        relief = await asyncio.to_thread(self._archive, RELIEF)
        return AdminMap(
            [
                _model(model, held.get(model.id, TextureCount()))
                for model in self._runs.wind_models()
            ],
            basemap,
            relief,
            sum(each.bytes for each in held.values()),
            self._wind_map.cache_bytes,
            await self._runs.postponed_until(),
        )

    async def renew(self, wanted: Renew) -> None:
        if wanted.what in ("runs", "all"):
            await self._runs.look(wanted.model)
        if wanted.what in ("textures", "all"):
            self._wind_map.forget()

    async def leftovers(self) -> list[Leftover]:
        def look() -> list[Leftover]:
            return [leftovers.to_leftover(self._data, path) for path in self._find_leftovers()]

        return await asyncio.to_thread(look)

    async def remove_leftovers(self, only: str | None) -> Removed:
        """Delete all leftovers or one of them; paths that are not in the list are never touched."""
        return await asyncio.to_thread(self._remove, only)

    def _remove(self, only: str | None) -> Removed:
        found = {leftovers.to_leftover(self._data, path): path for path in self._find_leftovers()}
        chosen = {each: path for each, path in found.items() if only in (None, each.path)}
        if only is not None and not chosen:
            raise AppError(404, "not_found")
        for path in chosen.values():
            leftovers.remove(path)
        return Removed(len(chosen), sum(each.bytes for each in chosen))

    def _archive(self, name: str) -> AdminArchive | None:
        found = self._maps.find(name)
        if found is None:
            return None
        own = self._maps.find_in(BUILT_IN, name) is not found
        return AdminArchive(found.extent, found.size, own)


def leftovers_finder(
    data: Path, catalogue: Catalogue, ingest: Ingest, *, demo: bool
) -> Callable[[], list[Path]]:
    return lambda: leftovers.find(data, catalogue, ingest, demo=demo, now=time.time())


def _model(model: AdminModel, held: TextureCount) -> AdminMapModel:
    newest = model.runs[0] if model.runs else None
    return AdminMapModel(
        id=model.id,
        run=newest.run if newest else None,
        hours=newest.steps if newest else 0,
        bytes=sum(run.bytes for run in model.runs),
        textures=held.textures,
        texture_bytes=held.bytes,
        incoming=model.incoming,
    )
