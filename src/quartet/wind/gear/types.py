from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Kind = Literal["kite", "sail", "wing", "board", "foil", "other"]
Knots = Annotated[float, Meta(ge=0, le=100)]


class GearItem(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`wind_min` and `wind_max` in knots; a rule of thumb replaces missing limits."""

    kind: Kind
    name: str
    size: Annotated[float, Meta(gt=0, le=1000)]
    unit: str
    wind_min: Knots | None = None
    wind_max: Knots | None = None


class GearList(msgspec.Struct, frozen=True):
    items: list[GearItem]
