"""Textures of the wind map, each made once."""

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from msgspec import UNSET

from quartet.kernel.errors import AppError
from quartet.kernel.fast_paths import FileInMemory
from quartet.wind.basemap.service import Maps
from quartet.wind.forecasts.service import Forecasts
from quartet.wind.grid.catalogue import Catalogue, CatchUp, no_catch_up
from quartet.wind.grid.geometry import Area
from quartet.wind.http_caching import FOR_EVER
from quartet.wind.map.pieces import PIECES
from quartet.wind.map.types import LAYERS, MapHour, MapModel, Overview, PlaceSeries, channel_of
from quartet.wind.models.catalogue import MODELS
from quartet.wind.places.coordinates import Coordinates

if TYPE_CHECKING:
    from quartet.wind.grid.forecast import Forecast
    from quartet.wind.grid.reading import StoredRun
    from quartet.wind.map.textures import Texture

# Enough for all hours of a model as large as ICON-EU.
CACHE_BYTES = 96 * 1024 * 1024
_PNG_HEADERS = b"etag: %b\r\ncache-control: %b\r\ncontent-type: image/png\r\n"
# More would only compete for the same cores.
_AT_ONCE = 2


class WantedHour(NamedTuple):
    """An existing hour, or a piece of it; the tag changes if its run is fetched again.

    Without a layer it is the wind.
    """

    run: "StoredRun"
    step: int
    piece: str
    layer: str = ""

    @property
    def tag(self) -> str:
        header = self.run.header
        return (
            f'"{header.model}-{header.run}-{header.written}-{self.step}-{self.piece}{self.layer}"'
        )

    @property
    def address(self) -> str:
        """The path of the texture, with its query."""
        piece = f"/{self.piece}" if self.piece else ""
        layer = f"?layer={self.layer}" if self.layer else ""
        return f"/api/map/{self.run.model}/{self.run.run}/{self.step}{piece}.png{layer}"

    @property
    def area(self) -> Area | None:
        return PIECES[self.piece] if self.piece else None


class TextureCount(NamedTuple):
    """The textures of a model that are in memory."""

    textures: int = 0
    bytes: int = 0


class _KeptTexture(NamedTuple):
    model: str
    texture: "Texture"


class WindMap:
    def __init__(
        self,
        catalogue: Catalogue,
        forecasts: Forecasts,
        maps: Maps,
        cache_bytes: int = CACHE_BYTES,
        catch_up: CatchUp = no_catch_up,
    ) -> None:
        self._catalogue = catalogue
        self._forecasts = forecasts
        self._maps = maps
        self.cache_bytes = cache_bytes
        self._catch_up = catch_up
        self._held = 0
        self._ready: OrderedDict[str, _KeptTexture] = OrderedDict()
        # The tags of textures by their address, as long as the runs stay the same.
        self._tags: dict[str, str] = {}
        self._tags_of = -1
        self._making: dict[str, asyncio.Task[Texture]] = {}
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def overview(self) -> Overview:
        extents = await asyncio.to_thread(self._maps.extents)
        forecasts = [self._catalogue.forecast(model.id) for model in MODELS]
        models = [_model(each) for each in forecasts if each is not None]
        waves = [_model(each) for each in self._catalogue.wave_forecasts[:1]]
        return Overview(models, *extents, *waves)

    def series(self, place: Coordinates) -> PlaceSeries:
        return PlaceSeries(place.lat, place.lon, self._forecasts.series(place))

    def wanted(
        self, model: str, run: str, step: str, piece: str | None = None, layer: str = ""
    ) -> WantedHour:
        """Find an hour by comparing texts: no part of an address is converted to a number or a
        path.
        """
        for each in self._catalogue.runs(model):
            if str(each.run) != run:
                continue
            found = next((hour for hour in each.header.steps if str(hour) == step), None)
            if found is None or not _offered(each, piece) or not _has(each, layer):
                break
            return WantedHour(each, found, piece or "", layer)
        raise AppError(404, "not_found")

    async def found(
        self, model: str, run: str, step: str, piece: str | None = None, layer: str = ""
    ) -> WantedHour:
        """Find an hour, also of a run that so far only another process serves."""
        try:
            return self.wanted(model, run, step, piece, layer)
        except AppError:
            if not await self._catch_up(model, run):
                raise
        return self.wanted(model, run, step, piece, layer)

    async def texture(self, wanted: WantedHour) -> "Texture":
        """Return a texture from memory, or make it once for all concurrent requests."""
        key = wanted.tag
        self._current_tags()[wanted.address] = key
        if (ready := self._ready.get(key)) is not None:
            self._ready.move_to_end(key)
            return ready.texture
        if (making := self._making.get(key)) is None:
            making = self._making[key] = asyncio.create_task(self._make(key, wanted))
        # Shielded: other requests wait for it, even if the first one is cancelled.
        return await asyncio.shield(making)

    def in_memory(self, path: str, query: bytes) -> FileInMemory | None:
        """Return a texture that was requested before, unless its run may have changed since."""
        address = f"{path}?{query.decode('latin-1')}" if query else path
        tag = self._current_tags().get(address, "")
        ready = self._ready.get(tag)
        if ready is None:
            return None
        self._ready.move_to_end(tag)
        return FileInMemory(_PNG_HEADERS % (tag.encode(), FOR_EVER.encode()), ready.texture.png)

    def _current_tags(self) -> dict[str, str]:
        if self._tags_of != self._catalogue.changes:
            self._tags, self._tags_of = {}, self._catalogue.changes
        return self._tags

    def held(self) -> dict[str, TextureCount]:
        found: dict[str, TextureCount] = {}
        for model, texture in self._ready.values():
            count, size = found.get(model, TextureCount())
            found[model] = TextureCount(count + 1, size + texture.size)
        return found

    def forget(self) -> int:
        """Empty the cache and return the number of freed bytes."""
        held, self._held = self._held, 0
        self._ready.clear()
        return held

    async def _make(self, key: str, wanted: WantedHour) -> "Texture":
        # Imported here: a service without any run need not load numpy.
        from quartet.wind.map.textures import texture_of

        try:
            async with self._places:
                made = await asyncio.to_thread(
                    texture_of, wanted.run, wanted.step, wanted.area, wanted.layer
                )
            self._keep(key, _KeptTexture(wanted.run.model, made))
            return made
        finally:
            del self._making[key]

    def _keep(self, key: str, made: _KeptTexture) -> None:
        self._ready[key] = made
        self._held += made.texture.size
        while self._held > self.cache_bytes:
            _, oldest = self._ready.popitem(last=False)
            self._held -= oldest.texture.size


def _offered(run: "StoredRun", piece: str | None) -> bool:
    return piece is None or (piece in PIECES and run.header.grid.wraps)


def _has(run: "StoredRun", layer: str) -> bool:
    if not layer:
        return run.header.has_wind
    return layer in LAYERS and run.has_values(channel_of(layer))


def _model(forecast: "Forecast") -> MapModel:
    hours = [
        MapHour(part.run.run, (time - part.run.run) // 3600, time)
        for part in forecast.parts
        for time in part.times
    ]
    grid = forecast.newest.header.grid
    pieces = list(PIECES.values()) if grid.wraps else UNSET
    layers = [layer for layer in LAYERS if _has(forecast.newest, layer)]
    return MapModel(forecast.model, grid.area, hours, pieces, layers)
