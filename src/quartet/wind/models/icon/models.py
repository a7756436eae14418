from quartet.wind.grid.geometry import Area
from quartet.wind.models.icon.upstream import IconUpstream
from quartet.wind.models.types import Model, every_hours

CREDIT = "Deutscher Wetterdienst, CC BY 4.0"

_EVERY_3_HOURS = tuple(range(0, 24, 3))
_EVERY_6_HOURS = (0, 6, 12, 18)


def _eu_steps(hour: int) -> tuple[int, ...]:
    return every_hours((78, 1), (120, 3)) if hour % 6 == 0 else every_hours((30, 1), (48, 6))


def _global_steps(hour: int) -> tuple[int, ...]:
    return every_hours((78, 1), (180 if hour % 12 == 0 else 120, 3))


ICON_D2 = Model(
    id="icon-d2",
    name="ICON-D2",
    provider="dwd",
    credit=CREDIT,
    resolution_km=2.2,
    area=Area(-3.94, 43.18, 20.34, 58.08),
    run_hours=_EVERY_3_HOURS,
    steps=lambda _hour: every_hours((48, 1)),
    upstream=IconUpstream(
        "icon-d2",
        "icon-d2_germany_regular-lat-lon",
        "{prefix}_single-level_{run}_{step:03}_2d_{lower}",
    ),
    delay=44 * 60,
    span=60 * 60,
)

ICON_EU = Model(
    id="icon-eu",
    name="ICON-EU",
    provider="dwd",
    credit=CREDIT,
    resolution_km=7,
    area=Area(-23.5, 29.5, 62.5, 70.5),
    run_hours=_EVERY_3_HOURS,
    steps=_eu_steps,
    upstream=IconUpstream("icon-eu", "icon-eu_europe_regular-lat-lon"),
    delay=161 * 60,
    span=75 * 60,
)

_GLOBAL = IconUpstream("icon", "icon_global_icosahedral", gust_at_start=False)

ICON = Model(
    id="icon",
    name="ICON",
    provider="dwd",
    credit=CREDIT,
    resolution_km=13,
    area=None,
    run_hours=_EVERY_6_HOURS,
    steps=_global_steps,
    upstream=_GLOBAL,
    delay=161 * 60,
    span=75 * 60,
    cells=_GLOBAL.fetch_cells,
)
