"""All models, ordered from the finest to the coarsest."""

from quartet.wind.models.ecmwf.models import AIFS, ECMWF
from quartet.wind.models.gfs.models import GFS
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
