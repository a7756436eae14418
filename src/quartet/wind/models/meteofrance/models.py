from quartet.wind.grid.geometry import Area
from quartet.wind.models.meteofrance.upstream import MeteoFranceUpstream
from quartet.wind.models.types import Model, every_hours

CREDIT = "Météo-France, Licence Ouverte 2.0"

AROME = Model(
    id="arome",
    name="AROME",
    provider="meteofrance",
    credit=CREDIT,
    resolution_km=2.5,
    area=Area(-12.0, 37.5, 16.0, 55.4),
    run_hours=tuple(range(0, 24, 3)),
    steps=lambda _hour: every_hours((51, 1)),
    upstream=MeteoFranceUpstream(
        "arome",
        "0025",
        ((0, 6), *((first, first + 5) for first in range(7, 48, 6)), (49, 51)),
        digits=2,
    ),
    delay=150 * 60,
    span=120 * 60,
)

ARPEGE = Model(
    id="arpege",
    name="ARPEGE",
    provider="meteofrance",
    credit=CREDIT,
    resolution_km=10,
    area=Area(-32.0, 20.0, 42.0, 72.0),
    run_hours=(0, 6, 12, 18),
    steps=lambda _hour: every_hours((102, 1)),
    upstream=MeteoFranceUpstream(
        "arpege",
        "01",
        ((0, 12), *((first, first + 11) for first in range(13, 96, 12)), (97, 102)),
        digits=3,
    ),
    delay=180 * 60,
    span=150 * 60,
)
