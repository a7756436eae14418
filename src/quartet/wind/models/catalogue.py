"""Every model there is, the finest first."""

from quartet.wind.models.ecmwf.models import ECMWF
from quartet.wind.models.gfs.models import GFS
from quartet.wind.models.icon.models import ICON, ICON_D2, ICON_EU
from quartet.wind.models.meteofrance.models import AROME, ARPEGE
from quartet.wind.models.types import Model

MODELS: tuple[Model, ...] = (ICON_D2, AROME, ICON_EU, ARPEGE, ICON, ECMWF, GFS)
