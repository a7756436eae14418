from quartet.wind.grid.layout import ENSEMBLE_CHANNELS, WAVE_CHANNELS
from quartet.wind.models.ecmwf.ensemble import EcmwfEnsembleUpstream
from quartet.wind.models.ecmwf.upstream import EcmwfUpstream
from quartet.wind.models.types import Model, every_hours

CREDIT = "ECMWF open data, CC BY 4.0"


def _ifs_steps(hour: int) -> tuple[int, ...]:
    return every_hours((144, 3), (360, 6)) if hour % 12 == 0 else every_hours((144, 3))


ECMWF = Model(
    id="ecmwf",
    name="ECMWF IFS",
    provider="ecmwf",
    credit=CREDIT,
    resolution_km=25,
    area=None,
    run_hours=(0, 6, 12, 18),
    steps=_ifs_steps,
    upstream=EcmwfUpstream("ifs"),
    delay=7 * 60 * 60,
    span=2 * 60 * 60,
)

ECMWF_WAVE = Model(
    id="ecmwf-wave",
    name="ECMWF WAM",
    provider="ecmwf",
    credit=CREDIT,
    resolution_km=25,
    area=None,
    run_hours=(0, 6, 12, 18),
    steps=_ifs_steps,
    upstream=EcmwfUpstream("ifs", "wave"),
    delay=7 * 60 * 60,
    span=2 * 60 * 60,
    channels=WAVE_CHANNELS,
)

AIFS = Model(
    id="aifs",
    name="ECMWF AIFS",
    provider="ecmwf",
    credit=CREDIT,
    resolution_km=25,
    area=None,
    run_hours=(0, 6, 12, 18),
    steps=lambda _hour: every_hours((360, 6)),
    upstream=EcmwfUpstream("aifs-single"),
    delay=6 * 60 * 60,
    span=2 * 60 * 60,
)

ECMWF_ENS = Model(
    id="ecmwf-ens",
    name="ECMWF ENS",
    provider="ecmwf",
    credit=CREDIT,
    resolution_km=25,
    area=None,
    # The runs of 6 and 18 UTC are shorter.
    run_hours=(0, 12),
    steps=lambda _hour: every_hours((144, 3), (240, 6)),
    upstream=EcmwfEnsembleUpstream(),
    delay=8 * 60 * 60,
    span=2 * 60 * 60,
    channels=ENSEMBLE_CHANNELS,
)
