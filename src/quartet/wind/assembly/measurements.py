"""Builds stations, observations, statistics and gauges."""

import time
from typing import NamedTuple

from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.assembly.weather import WeatherServices
from quartet.wind.blend.answers import BestForecasts
from quartet.wind.blend.service import Blends
from quartet.wind.blend.tasks import blend_loop
from quartet.wind.fetcher import Fetcher
from quartet.wind.gauges.service import Gauges, PegelOnline
from quartet.wind.gauges.tasks import gauges_loop
from quartet.wind.models.catalogue import ENSEMBLES
from quartet.wind.models.types import Model
from quartet.wind.observations.service import Observations
from quartet.wind.observations.sources import SourceAddresses, Sources
from quartet.wind.observations.tasks import fetching_loops, storage_loops
from quartet.wind.places import tasks as places_tasks
from quartet.wind.places.service import Places
from quartet.wind.ranking.service import Rankings
from quartet.wind.ranking.tasks import ranking_loops
from quartet.wind.scale.reload_tasks import reload_tasks
from quartet.wind.settings import WindSettings
from quartet.wind.stations import tasks as stations_tasks
from quartet.wind.stations.service import Stations
from quartet.wind.stats.archives import Archives
from quartet.wind.stats.service import ASKED, Statistics
from quartet.wind.stats.tasks import statistics_loop
from quartet.wind.verification.service import Verifications
from quartet.wind.verification.tasks import verification_loops

# A shorter timeout than elsewhere: gauges are fetched during a request.
_GAUGE_SECONDS = 8.0


class MeasurementServices(NamedTuple):
    stations: Stations
    observations: Observations
    rankings: Rankings
    best: BestForecasts
    verifications: Verifications
    statistics: Statistics
    gauges: Gauges
    loops: list[BackgroundTask]


def build_measurements(
    kernel: Kernel[WindSettings], weather: WeatherServices
) -> MeasurementServices:
    settings, db = kernel.settings, kernel.db
    folder = settings.data / "places"
    places = Places(folder, weather.catalogue.water_spots)
    stations = Stations(db, places, folder, time.time)
    observations = Observations(db, stations, settings.measurement_days)
    rankings = Rankings(db, stations, settings.ranking_days)
    models = [model.id for model in weather.ingest.wind_models]
    ensembles = [model.id for model in ENSEMBLES]
    blends = Blends(db, stations, weather.catalogue, models, ensembles=ensembles)
    longest = {model.id: model.longest for model in (*weather.ingest.wind_models, *ENSEMBLES)}
    best = BestForecasts(blends, longest)
    verifications = Verifications(db, stations, best, settings.archive_days)
    loops = [
        stations_tasks.load_loop(stations),
        places_tasks.places_loop(places),
        *storage_loops(stations, observations),
        *ranking_loops(rankings, weather.catalogue),
        blend_loop(blends, demo=kernel.demo),
        *verification_loops(verifications, demo=kernel.demo),
    ]
    if kernel.demo:
        statistics, gauges, more = _demo(
            kernel, weather, stations, observations, rankings, verifications
        )
    else:
        statistics, gauges, more = _real(kernel, places, stations, observations)
    loops += [*more, statistics_loop(statistics)]
    kernel.events.on(ASKED, lambda _station: statistics.work_requested.set())
    if settings.s3_url is not None:
        loops += reload_tasks(stations, observations, gauges)
    return MeasurementServices(
        stations, observations, rankings, best, verifications, statistics, gauges, loops
    )


def _real(
    kernel: Kernel[WindSettings], places: Places, stations: Stations, observations: Observations
) -> tuple[Statistics, Gauges, list[BackgroundTask]]:
    settings = kernel.settings
    cdc = settings.cdc_address.rstrip("/")
    fetcher = Fetcher(lambda: kernel.outbound)
    addresses = SourceAddresses(
        settings.aviation_address.rstrip("/"), settings.poi_address.rstrip("/"), cdc
    )
    sources = Sources(fetcher, addresses, stations, observations)
    open_meteo = settings.open_meteo_address.rstrip("/")
    statistics = Statistics(kernel.db, stations, Archives(fetcher, cdc, open_meteo))
    water = PegelOnline(
        Fetcher(lambda: kernel.outbound, _GAUGE_SECONDS), settings.pegelonline_address.rstrip("/")
    )
    gauges = Gauges(kernel.db, water)
    loops = [
        *fetching_loops(stations, observations, sources),
        gauges_loop(gauges),
        stations_tasks.lists_loop(
            stations, lambda: kernel.outbound, cdc, settings.mosmix_catalogue
        ),
        places_tasks.fetch_loop(
            places,
            lambda: kernel.outbound,
            settings.geonames_address,
            with_names=settings.place_names,
        ),
    ]
    return statistics, gauges, loops


def _demo(
    kernel: Kernel[WindSettings],
    weather: WeatherServices,
    stations: Stations,
    observations: Observations,
    rankings: Rankings,
    verifications: Verifications,
) -> tuple[Statistics, Gauges, list[BackgroundTask]]:
    # Imported here because only the demo needs them, and they load numpy.
    from quartet.wind.demo.archive import DemoArchive
    from quartet.wind.demo.gauges import DemoGauges
    from quartet.wind.demo.measurements import DemoMeasurements
    from quartet.wind.demo.past_forecasts import LESSON_DAYS, DemoForecasts

    async def fetched() -> tuple[Model, ...]:
        await weather.ingest.select()
        return weather.ingest.models

    lesson_days = 0 if kernel.settings.demo_size == "tiny" else LESSON_DAYS
    gauges = Gauges(kernel.db, DemoGauges(time.time))
    loops = [
        DemoMeasurements(stations, observations, time.time).loop(),
        DemoForecasts(
            stations, rankings, fetched, time.time, verifications.add, lesson_days
        ).loop(),
        gauges_loop(gauges, first=0),
    ]
    return Statistics(kernel.db, stations, DemoArchive()), gauges, loops
