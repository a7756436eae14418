"""Builds the catalogue of runs and the ingest of all configured models."""

import time
from pathlib import Path
from typing import NamedTuple

from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.demo.tasks import DemoWeather
from quartet.wind.grid.catalogue import Catalogue, CatchUp, no_catch_up
from quartet.wind.ingest.readers import FolderReader, HttpReader
from quartet.wind.ingest.service import POLL_SECONDS, Ingest
from quartet.wind.ingest.tasks import LOOK_SECONDS, ingest_loops
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.catalogue import MODELS
from quartet.wind.models.types import Provider, Reader
from quartet.wind.settings import WindSettings
from quartet.wind.site.service import SiteSettings

# Polling a local folder is cheap.
_DEMO_SECONDS = 2.0


class WeatherServices(NamedTuple):
    catalogue: Catalogue
    ingest: Ingest
    loops: list[BackgroundTask]
    catch_up: CatchUp = no_catch_up


def build_weather(kernel: Kernel[WindSettings], site: SiteSettings) -> WeatherServices:
    settings = kernel.settings

    async def postponed() -> bool:
        return (await site.get()).map_postponed_until > time.time()

    catalogue = Catalogue(settings.data / "grids")
    workers = Workers()
    models = tuple(model for model in MODELS if model.id in settings.models)
    mirror = settings.data / "mirror"
    poll, pause = (_DEMO_SECONDS, _DEMO_SECONDS) if kernel.demo else (POLL_SECONDS, LOOK_SECONDS)
    readers = demo_readers(mirror) if kernel.demo else _http_readers(kernel)
    ingest = Ingest(
        catalogue, readers, models, workers, clock=time.time, poll=poll, postponed=postponed
    )
    loops = [workers.loop()]
    catch_up: CatchUp = no_catch_up
    if settings.s3_url is None:
        loops += ingest_loops(ingest, pause, wait=not kernel.demo)
    else:
        # Imported here because a single process needs neither a queue nor a bucket.
        from quartet.wind.assembly.shared_runs import build_shared_runs

        more, catch_up = build_shared_runs(kernel, catalogue, ingest, pause)
        loops += more
    if kernel.demo:
        demo = DemoWeather(mirror, catalogue, models, workers, settings.demo_size, time.time)
        loops.append(demo.loop())
    return WeatherServices(catalogue, ingest, loops, catch_up)


def demo_readers(mirror: Path) -> dict[Provider, Reader]:
    providers: tuple[Provider, ...] = ("dwd", "noaa", "ecmwf", "meteofrance")
    return {provider: FolderReader(mirror / provider) for provider in providers}


def _http_readers(kernel: Kernel[WindSettings]) -> dict[Provider, Reader]:
    settings = kernel.settings

    def reader(address: str) -> HttpReader:
        return HttpReader(lambda: kernel.outbound, address)

    return {
        "dwd": reader(settings.dwd_address),
        "noaa": reader(settings.noaa_address),
        "ecmwf": reader(settings.ecmwf_address),
        "meteofrance": reader(settings.meteofrance_address),
    }
