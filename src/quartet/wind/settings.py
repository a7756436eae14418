from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from quartet.kernel.settings import ServiceSettings, Settings, SettingsError, described

ModelId = Literal[
    "icon-d2",
    "icon-d2-ruc",
    "arome",
    "icon-eu",
    "arpege",
    "icon",
    "aicon",
    "ecmwf",
    "aifs",
    "gfs",
    "ecmwf-wave",
    "gfs-wave",
]
EnsembleId = Literal["icon-d2-eps", "icon-eu-eps", "ecmwf-ens", "gefs"]
DemoSize = Literal["tiny", "small", "full"]
SmtpSecurity = Literal["none", "starttls", "tls"]


class WindSettings(Settings, frozen=True, kw_only=True):
    port: Annotated[int, described("Port to listen on.")] = 8450
    data: Annotated[Path, described("Folder for the database and the weather data.")] = Path(
        "data/wind"
    )
    models: Annotated[
        tuple[ModelId, ...], described("Ids of the models of wind and waves to fetch.")
    ] = (
        "icon-d2",
        "icon-d2-ruc",
        "arome",
        "icon-eu",
        "arpege",
        "icon",
        "aicon",
        "ecmwf",
        "aifs",
        "gfs",
        "ecmwf-wave",
        "gfs-wave",
    )
    ensembles: Annotated[
        tuple[EnsembleId, ...],
        described(
            "Ids of the ensembles to fetch until an admin selects others; they say how certain "
            "Best is."
        ),
    ] = ()
    dwd_address: Annotated[str, described("Address of the DWD models, or of a mirror.")] = (
        "https://opendata.dwd.de/weather/nwp"
    )
    noaa_address: Annotated[str, described("Address of the GFS files, or of a mirror.")] = (
        "https://noaa-gfs-bdp-pds.s3.amazonaws.com"
    )
    gefs_address: Annotated[str, described("Address of the GEFS files, or of a mirror.")] = (
        "https://noaa-gefs-pds.s3.amazonaws.com"
    )
    ecmwf_address: Annotated[str, described("Address of the ECMWF models, or of a mirror.")] = (
        "https://data.ecmwf.int/forecasts"
    )
    meteofrance_address: Annotated[
        str, described("Address of the AROME and ARPEGE files, or of a mirror.")
    ] = "https://meteofrance-pnt.s3.rbx.io.cloud.ovh.net/pnt"
    proxy: Annotated[
        str | None,
        described(
            "Proxy for all requests to weather services, such as http://proxy:3128 or "
            "socks5://proxy:1080."
        ),
    ] = None
    aviation_address: Annotated[
        str, described("Address of the METAR and TAF files, or of a mirror.")
    ] = "https://aviationweather.gov"
    poi_address: Annotated[
        str, described("Address of hourly German measurements, or of a mirror.")
    ] = "https://opendata.dwd.de/weather/weather_reports/poi"
    cdc_address: Annotated[str, described("Address of German climate data, or of a mirror.")] = (
        "https://opendata.dwd.de/climate_environment/CDC/observations_germany/climate"
    )
    mosmix_catalogue: Annotated[
        str, described("Address of the list of stations with their WMO numbers.")
    ] = (
        "https://www.dwd.de/DE/leistungen/met_verfahren_mosmix/mosmix_stationskatalog.cfg"
        "?view=nasPublication"
    )
    open_meteo_address: Annotated[
        str, described("Address of the wind archive for stations outside of Germany.")
    ] = "https://archive-api.open-meteo.com"
    pegelonline_address: Annotated[
        str, described("Address of the water levels, or of a mirror.")
    ] = "https://www.pegelonline.wsv.de/webservices/rest-api/v2"
    geonames_address: Annotated[
        str, described("Address of the list of places, or of a mirror; fetched once, 10 MB.")
    ] = "https://download.geonames.org/export/dump"
    protomaps_address: Annotated[
        str,
        described("Address of the planets from which `quartet wind fetch-basemap` extracts a map."),
    ] = "https://build.protomaps.com"
    place_names: Annotated[
        bool, described("Also fetch place names in other languages; once, 200 MB.")
    ] = False
    s3_url: Annotated[
        str | None,
        described(
            "Bucket in which several processes share the runs, such as "
            "s3://name/folder?endpoint=https://s3.example.org&region=eu-1.",
            env="S3_URL",
        ),
    ] = None
    mirror_gb: Annotated[
        int,
        Meta(ge=1, le=10_000),
        described("With a bucket: gigabytes of older runs that a process keeps on its disk."),
    ] = 40
    widget_cross_origin: Annotated[
        bool,
        described("Let scripts on pages of other sites read `/api/widget` and `/api/best` (CORS)."),
    ] = False
    measurement_days: Annotated[
        int, Meta(ge=1, le=3650), described("Days after which measurements are deleted.")
    ] = 31
    ranking_days: Annotated[
        int, Meta(ge=1, le=365), described("Days of forecasts used to rank the models.")
    ] = 30
    archive_days: Annotated[
        int,
        Meta(ge=4, le=3650),
        described("Days after which forecasts as issued are deleted; 4 kB per station and day."),
    ] = 31
    demo_size: Annotated[
        DemoSize, described("Resolution of the demo weather; full is that of the real models.")
    ] = "small"
    smtp_host: Annotated[str | None, described("Mail server; no mails are sent without one.")] = (
        None
    )
    smtp_port: Annotated[int, Meta(ge=1, le=65535), described("Port of the mail server.")] = 587
    smtp_user: Annotated[str | None, described("User name at the mail server.")] = None
    smtp_password: Annotated[str | None, described("Password at the mail server.", secret=True)] = (
        None
    )
    smtp_security: Annotated[
        SmtpSecurity, described("Encryption of the connection to the mail server.")
    ] = "starttls"
    mail_from: Annotated[
        str | None, described("Sender of mails, such as Wind <wind@example.org>.")
    ] = None


def prepare(settings: WindSettings) -> WindSettings:
    """Reject settings for several processes that lack a shared database, Redis or bucket."""
    shared = {
        "database_url": settings.database_url,
        "redis_url": settings.redis_url,
        "s3_url": settings.s3_url,
    }
    missing = [name for name, address in shared.items() if not address]
    if missing and (settings.s3_url or settings.role != "all"):
        raise SettingsError(f"running several processes also requires {' and '.join(missing)}")
    return settings


SERVICE_SETTINGS = ServiceSettings("WIND_", WindSettings, prepare, roles=("all", "web", "worker"))
