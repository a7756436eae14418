from quartet.wind.models.gfs.upstream import GfsUpstream
from quartet.wind.models.types import Model, every_hours

GFS = Model(
    id="gfs",
    name="GFS",
    provider="noaa",
    credit="NOAA / NCEP, public domain",
    resolution_km=25,
    area=None,
    run_hours=(0, 6, 12, 18),
    steps=lambda _hour: every_hours((120, 1), (384, 3)),
    upstream=GfsUpstream(),
    delay=220 * 60,
    span=90 * 60,
)
