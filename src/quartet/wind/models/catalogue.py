"""All models and ensembles, from the finest to the coarsest; those of waves by preference."""

from quartet.wind.models.ecmwf.models import AIFS, ECMWF, ECMWF_ENS, ECMWF_WAVE
from quartet.wind.models.gfs.models import GEFS, GFS, GFS_WAVE
from quartet.wind.models.icon.models import (
    AICON,
    ICON,
    ICON_D2,
    ICON_D2_EPS,
    ICON_D2_RUC,
    ICON_EU,
    ICON_EU_EPS,
)
from quartet.wind.models.meteofrance.models import AROME, ARPEGE
from quartet.wind.models.types import Model

MODELS: tuple[Model, ...] = (
    ICON_D2,
    ICON_D2_RUC,
    AROME,
    ICON_EU,
    ARPEGE,
    ICON,
    AICON,
    ECMWF,
    AIFS,
    GFS,
)

WAVE_MODELS: tuple[Model, ...] = (ECMWF_WAVE, GFS_WAVE)

# What was learnt about ensembles is stored in this order: new ones are appended.
ENSEMBLES: tuple[Model, ...] = (ICON_D2_EPS, ICON_EU_EPS, ECMWF_ENS, GEFS)

ALL_MODELS: tuple[Model, ...] = (*MODELS, *WAVE_MODELS, *ENSEMBLES)
