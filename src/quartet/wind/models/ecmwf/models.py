from quartet.wind.models.ecmwf.upstream import EcmwfUpstream
from quartet.wind.models.types import Model, every_hours


def _steps(hour: int) -> tuple[int, ...]:
    return every_hours((144, 3), (240, 6)) if hour % 12 == 0 else every_hours((90, 3))


ECMWF = Model(
    id="ecmwf",
    name="ECMWF IFS",
    provider="ecmwf",
    credit="ECMWF open data, CC BY 4.0",
    resolution_km=25,
    area=None,
    run_hours=(0, 6, 12, 18),
    steps=_steps,
    upstream=EcmwfUpstream(),
    delay=7 * 60 * 60,
    span=2 * 60 * 60,
)
