from quartet.wind.grid.layout import ENSEMBLE_CHANNELS, SWELL_CHANNELS
from quartet.wind.models.gfs.ensemble import GefsUpstream
from quartet.wind.models.gfs.upstream import SWELL, WAVES, GfsUpstream
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

# Files exist for every hour; waves change slowly, and three hours need a third of the disk.
GFS_WAVE = Model(
    id="gfs-wave",
    name="GFS-Wave",
    provider="noaa",
    credit="NOAA / NCEP, public domain",
    resolution_km=25,
    area=None,
    run_hours=(0, 6, 12, 18),
    steps=lambda _hour: every_hours((240, 3)),
    upstream=GfsUpstream(
        "gfs.{day}/{hour}/wave/gridded/gfswave.t{hour}z.global.0p25.f{step:03}.grib2",
        WAVES,
        SWELL,
    ),
    delay=240 * 60,
    span=90 * 60,
    channels=SWELL_CHANNELS,
)

GEFS = Model(
    id="gefs",
    name="GEFS",
    provider="noaa-gefs",
    credit="NOAA / NCEP, public domain",
    resolution_km=50,
    area=None,
    run_hours=(0, 6, 12, 18),
    steps=lambda _hour: every_hours((240, 3)),
    upstream=GefsUpstream(),
    delay=270 * 60,
    span=150 * 60,
    channels=ENSEMBLE_CHANNELS,
)
