from quartet.wind.grid.geometry import Area
from quartet.wind.grid.layout import ENSEMBLE_CHANNELS
from quartet.wind.models.icon.ensemble import IconEnsembleUpstream
from quartet.wind.models.icon.upstream import IconUpstream
from quartet.wind.models.types import Model, every_hours

CREDIT = "Deutscher Wetterdienst, CC BY 4.0"

_EVERY_3_HOURS = tuple(range(0, 24, 3))
_EVERY_6_HOURS = (0, 6, 12, 18)
_GERMANY = Area(-4.17, 43.04, 20.55, 58.17)


def _eu_steps(hour: int) -> tuple[int, ...]:
    return every_hours((78, 1), (120, 3)) if hour % 6 == 0 else every_hours((30, 1), (48, 6))


def _global_steps(hour: int) -> tuple[int, ...]:
    return every_hours((78, 1), (180 if hour % 12 == 0 else 120, 3))


def _aicon_steps(hour: int) -> tuple[int, ...]:
    return tuple(range(3, (180 if hour % 12 == 0 else 120) + 1, 3))


ICON_D2 = Model(
    id="icon-d2",
    name="ICON-D2",
    provider="dwd",
    credit=CREDIT,
    resolution_km=2.2,
    area=_GERMANY,
    run_hours=_EVERY_3_HOURS,
    steps=lambda _hour: every_hours((48, 1)),
    upstream=IconUpstream("icon-d2"),
    delay=44 * 60,
    span=60 * 60,
)

ICON_D2_RUC = Model(
    id="icon-d2-ruc",
    name="ICON-D2-RUC",
    provider="dwd",
    credit=CREDIT,
    resolution_km=2.2,
    area=_GERMANY,
    run_hours=tuple(range(24)),
    steps=lambda _hour: every_hours((14, 1)),
    upstream=IconUpstream("icon-d2-ruc"),
    delay=44 * 60,
    # Hours after the fourteenth, which some runs have, are learnt; the last ones come late.
    span=90 * 60,
)

ICON_EU = Model(
    id="icon-eu",
    name="ICON-EU",
    provider="dwd",
    credit=CREDIT,
    resolution_km=6.5,
    area=Area(-23.5, 29.5, 62.5, 70.5),
    run_hours=_EVERY_3_HOURS,
    steps=_eu_steps,
    upstream=IconUpstream("icon-eu"),
    delay=158 * 60,
    span=75 * 60,
)

ICON = Model(
    id="icon",
    name="ICON",
    provider="dwd",
    credit=CREDIT,
    resolution_km=13,
    area=None,
    run_hours=_EVERY_6_HOURS,
    steps=_global_steps,
    upstream=IconUpstream("icon"),
    delay=161 * 60,
    span=75 * 60,
)

AICON = Model(
    id="aicon",
    name="AICON",
    provider="dwd",
    credit=CREDIT,
    resolution_km=13,
    area=None,
    run_hours=_EVERY_6_HOURS,
    steps=_aicon_steps,
    # It is computed on the triangles of ICON and published without their coordinates.
    upstream=IconUpstream("aicon", cells_folder="icon"),
    delay=3 * 60 * 60,
    span=30 * 60,
)

# A run every three hours would need twice the transfers for little more certainty.
ICON_D2_EPS = Model(
    id="icon-d2-eps",
    name="ICON-D2-EPS",
    provider="dwd",
    credit=CREDIT,
    resolution_km=2.2,
    area=_GERMANY,
    run_hours=_EVERY_6_HOURS,
    steps=lambda _hour: every_hours((48, 1)),
    upstream=IconEnsembleUpstream("icon-d2-eps", 20),
    delay=44 * 60,
    span=60 * 60,
    channels=ENSEMBLE_CHANNELS,
)

ICON_EU_EPS = Model(
    id="icon-eu-eps",
    name="ICON-EU-EPS",
    provider="dwd",
    credit=CREDIT,
    resolution_km=10,
    area=Area(-23.5, 29.5, 62.5, 70.5),
    run_hours=_EVERY_6_HOURS,
    steps=lambda _hour: every_hours((75, 1), (120, 3)),
    upstream=IconEnsembleUpstream("icon-eu-eps", 40),
    delay=158 * 60,
    span=75 * 60,
    channels=ENSEMBLE_CHANNELS,
)
