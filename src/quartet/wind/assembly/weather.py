"""Builds the catalogue of runs and the ingest of all configured models."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.metrics import Gauge
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.grid.catalogue import Catalogue, CatchUp, no_catch_up
from quartet.wind.ingest.readers import FolderReader, HttpReader
from quartet.wind.ingest.service import POLL_SECONDS, Ingest, loop_name
from quartet.wind.ingest.tasks import LOOK_SECONDS, ingest_loops
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.catalogue import ALL_MODELS
from quartet.wind.models.types import Provider, Reader
from quartet.wind.places.water_spots import WaterSpots
from quartet.wind.settings import EnsembleId, WindSettings
from quartet.wind.site.service import SiteSettings

if TYPE_CHECKING:
    from quartet.kernel.outbound import OutboundClient

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

    async def ensembles() -> list[EnsembleId]:
        return (await site.get()).ensembles

    catalogue = Catalogue(settings.data / "grids", WaterSpots())
    workers = Workers()
    # Ensembles are selected while the service runs.
    models = tuple(
        model for model in ALL_MODELS if model.is_ensemble or model.id in settings.models
    )
    mirror = settings.data / "mirror"
    poll, pause = (_DEMO_SECONDS, _DEMO_SECONDS) if kernel.demo else (POLL_SECONDS, LOOK_SECONDS)
    if kernel.demo:
        readers = demo_readers(mirror)
    else:
        readers = http_readers(settings, lambda: kernel.outbound)
    ingest = Ingest(
        catalogue,
        readers,
        models,
        workers,
        clock=time.time,
        elapsed=time.monotonic,
        poll=poll,
        postponed=postponed,
        selection=ensembles,
        selected=site.defaults.ensembles,
    )
    site.change_hooks.append(_waking(kernel, ingest))
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
        # Imported here because only the demo needs it.
        from quartet.wind.demo.tasks import DemoWeather

        demo = DemoWeather(
            mirror, catalogue, models, workers, settings.demo_size, time.time, ingest.is_fetched
        )
        loops.append(demo.loop())
    return WeatherServices(catalogue, ingest, loops, catch_up)


def _waking(kernel: Kernel[WindSettings], ingest: Ingest) -> Callable[[Tx, str, object], None]:
    """Return a hook that lets a change of the selected ensembles take effect at once."""

    def wake() -> None:
        for model in ingest.known_ensembles:
            # Only the leading process runs these tasks; it notices the change with its next look.
            with suppress(AppError):
                kernel.supervisor.run_now(loop_name(model))

    def changed(tx: Tx, key: str, _value: object) -> None:
        if key == "ensembles":
            tx.after_commit(wake)

    return changed


def demo_readers(mirror: Path) -> dict[Provider, Reader]:
    providers: tuple[Provider, ...] = ("dwd", "noaa", "noaa-gefs", "ecmwf", "meteofrance")
    return {provider: FolderReader(mirror / provider) for provider in providers}


def http_readers(
    settings: WindSettings, outbound: "Callable[[], OutboundClient]"
) -> dict[Provider, Reader]:
    return {
        "dwd": HttpReader(outbound, settings.dwd_address),
        "noaa": HttpReader(outbound, settings.noaa_address),
        "noaa-gefs": HttpReader(outbound, settings.gefs_address),
        "ecmwf": HttpReader(outbound, settings.ecmwf_address),
        "meteofrance": HttpReader(outbound, settings.meteofrance_address),
    }


def source_gauges(ingest: Ingest, catalogue: Catalogue) -> list[Gauge]:
    """Metrics by which a monitoring system notices a model that is late."""

    def ages() -> dict[str, float]:
        return {model: time.time() - run.run for model, run in catalogue.newest_runs.items()}

    def late() -> dict[str, float]:
        return {model.id: float(ingest.is_late(model)) for model in ingest.models}

    def failing() -> dict[str, float]:
        states = {model.id: ingest.state(model.id) for model in ingest.models}
        return {model: float(state.error is not None) for model, state in states.items()}

    return [
        Gauge("quartet_wind_run_age_seconds", "Age of the newest run of a model", ages),
        Gauge("quartet_wind_run_late", "1 while a model is late by more than one run", late),
        Gauge("quartet_wind_source_failing", "1 while fetching a model has an error", failing),
    ]
