from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from quartet.kernel.settings import Settings, SettingsError, described

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
]
DemoSize = Literal["tiny", "small", "full"]
SmtpSecurity = Literal["none", "starttls", "tls"]


class WindSettings(Settings, frozen=True, kw_only=True):
    port: Annotated[int, described("Port to listen on.")] = 8450
    data: Annotated[Path, described("Folder of the database and the weather data.")] = Path(
        "data/wind"
    )
    models: Annotated[tuple[ModelId, ...], described("Forecast models to fetch, by their ids.")] = (
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
    ] = "https://meteofrance-pnt.s3.rbx.io.cloud.ovh.net/pnt"
    aviation_address: Annotated[
        str, described("Where METAR and TAF are fetched, or a mirror of it.")
    ] = "https://aviationweather.gov"
    poi_address: Annotated[
        str, described("Where hourly German measurements are fetched, or a mirror of it.")
    ] = "https://opendata.dwd.de/weather/weather_reports/poi"
    cdc_address: Annotated[
        str, described("Where German climate data are fetched, or a mirror of it.")
    ] = "https://opendata.dwd.de/climate_environment/CDC/observations_germany/climate"
    mosmix_catalogue: Annotated[
        str, described("Address of the list of stations with their international numbers.")
    ] = (
        "https://www.dwd.de/DE/leistungen/met_verfahren_mosmix/mosmix_stationskatalog.cfg"
        "?view=nasPublication"
    )
    open_meteo_address: Annotated[
        str, described("Where wind of past years is fetched for stations outside of Germany.")
    ] = "https://archive-api.open-meteo.com"
    pegelonline_address: Annotated[
        str, described("Where water levels are fetched, or a mirror of it.")
    ] = "https://www.pegelonline.wsv.de/webservices/rest-api/v2"
    geonames_address: Annotated[
        str, described("Where the list of places is fetched once, or a mirror of it; 10 MB.")
    ] = "https://download.geonames.org/export/dump"
    place_names: Annotated[
        bool, described("Fetch names of places in other languages as well; 200 MB, once.")
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
        described("With a bucket: how many gigabytes of older runs a process keeps on its disk."),
    ] = 40
    measurement_days: Annotated[
        int, Meta(ge=1, le=3650), described("Days after which measurements are deleted.")
    ] = 31
    ranking_days: Annotated[
        int, Meta(ge=1, le=365), described("Days of forecasts that models are ranked by.")
    ] = 30
    demo_size: Annotated[
        DemoSize, described("How fine the grids of the demo weather are; full is as the real ones.")
    ] = "small"
    smtp_host: Annotated[str | None, described("Mail server; without one no mails are sent.")] = (
        None
    )
    smtp_port: Annotated[int, Meta(ge=1, le=65535), described("Port of the mail server.")] = 587
    smtp_user: Annotated[str | None, described("User name at the mail server.")] = None
    smtp_password: Annotated[str | None, described("Password at the mail server.", secret=True)] = (
        None
    )
    smtp_security: Annotated[
        SmtpSecurity, described("How the way to the mail server is encrypted.")
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
        raise SettingsError(f"several processes also need {' and '.join(missing)}")
    return settings
