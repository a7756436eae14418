from pathlib import Path
from typing import Annotated, Literal

from quartet.kernel.settings import Settings, described

ModelId = Literal["icon-d2", "arome", "icon-eu", "arpege", "icon", "ecmwf", "gfs"]
DemoSize = Literal["tiny", "small", "full"]


class WindSettings(Settings, frozen=True, kw_only=True):
    port: Annotated[int, described("Port to listen on.")] = 8450
    data: Annotated[Path, described("Folder of the database and the weather data.")] = Path(
        "data/wind"
    )
    models: Annotated[tuple[ModelId, ...], described("Forecast models to fetch, by their ids.")] = (
        "icon-d2",
        "arome",
        "icon-eu",
        "arpege",
        "icon",
        "ecmwf",
        "gfs",
    )
    dwd_address: Annotated[str, described("Where ICON is fetched, or a mirror of it.")] = (
        "https://opendata.dwd.de/weather/nwp"
    )
    noaa_address: Annotated[str, described("Where GFS is fetched, or a mirror of it.")] = (
        "https://noaa-gfs-bdp-pds.s3.amazonaws.com"
    )
    ecmwf_address: Annotated[str, described("Where ECMWF IFS is fetched, or a mirror of it.")] = (
        "https://data.ecmwf.int/forecasts"
    )
    meteofrance_address: Annotated[
        str, described("Where AROME and ARPEGE are fetched, or a mirror of it.")
    ] = "https://object.data.gouv.fr/meteofrance-pnt/pnt"
    demo_size: Annotated[
        DemoSize, described("How fine the grids of the demo weather are; full is as the real ones.")
    ] = "small"
