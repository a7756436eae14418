"""All models, ordered from the finest to the coarsest; those of waves by preference."""

from quartet.wind.models.ecmwf.models import AIFS, ECMWF, ECMWF_WAVE
from quartet.wind.models.gfs.models import GFS, GFS_WAVE
from quartet.wind.models.icon.models import AICON, ICON, ICON_D2, ICON_D2_RUC, ICON_EU
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
