from typing import Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

from quartet.wind.basemap.types import Extent, Relief
from quartet.wind.forecasts.types import ForecastSeries
from quartet.wind.gauges.types import Gauge
from quartet.wind.grid.geometry import Area
from quartet.wind.observations.types import Pin

LayerName = Literal["gust", "temperature", "precipitation", "cloud", "pressure", "waves"]
LAYERS: tuple[LayerName, ...] = get_args(LayerName)


def channel_of(layer: str) -> str:
    """Return the channel of a run that a layer shows."""
    return "height" if layer == "waves" else layer


class MapHour(msgspec.Struct, frozen=True):
    run: int
    step: int
    time: int


class MapModel(msgspec.Struct, frozen=True):
    """`pieces` is set for models of the whole world, whose hours are large."""

    id: str
    area: Area
    hours: list[MapHour]
    pieces: list[Area] | UnsetType = UNSET
    # What can be drawn besides the wind.
    layers: list[LayerName] = []


class Overview(msgspec.Struct, frozen=True):
    """Finest model first; a missing basemap, relief or list of lakes is null.

    `waves` is the model whose waves can be drawn below the wind of any model.
    """

    models: list[MapModel]
    basemap: Extent | None
    relief: Relief | None
    lakes: Extent | None
    waves: MapModel | None = None


class Channel(msgspec.Struct, frozen=True):
    """Knots are `offset + scale * byte`; byte 0 means no value."""

    scale: float
    offset: float


class TextureChannels(msgspec.Struct, frozen=True):
    """`gust` is null for an hour without gusts."""

    u: Channel
    v: Channel
    gust: Channel | None


class Meta(msgspec.Struct, frozen=True, rename="camel"):
    """How to read a texture: red is u, green v, blue the gust; alpha is 0 where there is no value.

    Its first row is the northernmost. `bounds` are the outer edges of the outer cells, half a cell
    beyond the positions of the outer values. A texture that wraps continues at its other side.
    """

    model: str
    run: int
    step: int
    time: int
    width: int
    height: int
    bounds: Area
    wraps: bool
    channels: TextureChannels
    bounds_of: Literal["edges"] = "edges"
    unit: Literal["kn"] = "kn"
    no_data: Literal["alpha0"] = "alpha0"


class LayerMeta(msgspec.Struct, frozen=True, rename="camel"):
    """How to read a texture of a layer: red is the value; alpha is 0 where there is none.

    The value is `offset + scale * red`, in knots, degrees Celsius, millimetres per hour, percent,
    hPa or metres.
    """

    model: str
    run: int
    step: int
    time: int
    width: int
    height: int
    bounds: Area
    wraps: bool
    layer: str
    channel: Channel
    bounds_of: Literal["edges"] = "edges"
    no_data: Literal["alpha0"] = "alpha0"


class PlaceSeries(msgspec.Struct, frozen=True):
    lat: float
    lon: float
    models: list[ForecastSeries]


class StationPins(msgspec.Struct, frozen=True):
    stations: list[Pin]


class GaugePins(msgspec.Struct, frozen=True):
    gauges: list[Gauge]
