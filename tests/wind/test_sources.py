"""All weather services together, with the faults that they really have."""

import logging
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient
from quartet.wind.demo.fields import CellPlace
from quartet.wind.demo.mirror import files_of
from quartet.wind.forecasts.service import Forecasts
from quartet.wind.forecasts.types import ForecastSeries
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.ingest.checking import check_sources, table_of
from quartet.wind.ingest.readers import HttpReader
from quartet.wind.ingest.service import Ingest
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.catalogue import MODELS, WAVE_MODELS
from quartet.wind.models.icon.models import ICON_EU
from quartet.wind.models.types import Model
from quartet.wind.places.coordinates import Coordinates
from tests.wind.conftest import Station
from tests.wind.upstream import HOUR, RUN, Clock, Provider, publish, short, write

GRID_62 = CellPlace(62, 900, ICON_EU.area)
GRID_63 = CellPlace(63, 1100, ICON_EU.area)


def thin(model: Model, every: int) -> Model:
    """The same model with fewer steps, which reaches as far."""

    def steps(hour: int) -> tuple[int, ...]:
        all_steps = model.steps(hour)
        return tuple(sorted({*all_steps[::every], all_steps[-1]}))

    return replace(model, steps=steps)


def published_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def repeated(files: list[str]) -> list[str]:
    return [path for path, count in Counter(files).items() if count > 1]


@pytest.mark.nightly
@pytest.mark.anyio
async def test_icon_eu_reaches_120_hours_at_every_hour_of_a_day(
    station: Station, served: Provider
) -> None:
    """Short runs are continued by the long run before them; the grid changes at noon."""
    model = thin(ICON_EU, 12)
    ingest = station.ingest_of(model)
    forecasts = Forecasts(station.catalogue, ingest, station.clock)
    for hour in range(0, 24, 3):
        place = GRID_62 if hour < 12 else GRID_63
        publish(served.folder, model, RUN + hour * HOUR, place)
    for hour in range(5, 28):
        station.clock.now = RUN + hour * HOUR
        await ingest.look(model)
        (info,) = forecasts.models().models
        assert info.reach_hours == 120, hour
        forecast = station.catalogue.forecast(model.id)
        assert forecast is not None
        assert forecast.times == sorted(set(forecast.times))
        assert forecast.times[-1] >= station.clock.now + 90 * HOUR
        sample = forecast.sample(54.3, 10.1)
        assert sample is not None and sample.shape == (3, len(forecast.times))
    assert repeated(served.files) == []
    assert len(list(station.catalogue.folder.glob("*.mesh"))) == 2


@pytest.mark.anyio
async def test_long_run_is_fetched_after_a_start_with_a_short_one(
    station: Station, served: Provider
) -> None:
    model = thin(ICON_EU, 12)
    for hour in (0, 3):
        publish(served.folder, model, RUN + hour * HOUR, GRID_62)
    station.clock.now = RUN + 3 * HOUR + model.delay + model.span
    ingest = station.ingest_of(model)
    await ingest.look(model)
    await ingest.look(model)
    assert [run.run for run in station.catalogue.runs(model.id)] == [RUN + 3 * HOUR, RUN]
    asked = len(served.asked)
    await ingest.look(model)
    assert len(served.asked) == asked


@pytest.mark.anyio
async def test_long_run_that_is_deleted_already_is_no_error(
    station: Station, served: Provider
) -> None:
    model = short("icon", (0, 1))
    model = replace(model, steps=lambda hour: (0, 3) if hour % 12 == 0 else (0, 1))
    publish(served.folder, model, RUN + 6 * HOUR)
    station.clock.now = RUN + 6 * HOUR + model.delay + model.span
    ingest = station.ingest_of(model)
    await ingest.look(model)
    await ingest.look(model)
    assert [run.run for run in station.catalogue.runs(model.id)] == [RUN + 6 * HOUR]
    assert ingest.state(model.id).error is None


@pytest.mark.anyio
async def test_series_names_the_runs_it_is_made_of(station: Station, served: Provider) -> None:
    model = thin(ICON_EU, 12)
    ingest = station.ingest_of(model)
    for hour in (0, 3):
        publish(served.folder, model, RUN + hour * HOUR, GRID_62)
        station.clock.now = RUN + hour * HOUR + model.delay + model.span
        await ingest.ingest_run(model, RUN + hour * HOUR)
    raw = Forecasts(station.catalogue, ingest, station.clock).series(Coordinates(54.3, 10.1))
    (series,) = msgspec.json.decode(msgspec.json.encode(raw), type=list[ForecastSeries])
    assert series.parts is not None
    assert [part.run for part in series.parts] == [RUN + 3 * HOUR, RUN]
    assert series.parts[1].since > RUN + 51 * HOUR
    assert len(series.times) == len(series.wind) == len(series.gust) == len(series.direction)
    assert series.times[-1] == RUN + 120 * HOUR


@pytest.mark.anyio
async def test_changed_grid_is_reported(
    station: Station, served: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    model = short("icon-eu", (0, 1))
    ingest = station.ingest_of(model)
    for hour, place in ((0, GRID_62), (3, GRID_63)):
        publish(served.folder, model, RUN + hour * HOUR, place)
        await ingest.ingest_run(model, RUN + hour * HOUR)
    assert [each.code for each in ingest.state(model.id).warnings] == ["grid_changed"]
    assert sum("grid_changed" in record.message for record in caplog.records) == 1


@pytest.mark.anyio
@pytest.mark.parametrize("model_id", ["icon-eu", "ecmwf", "gfs"])
async def test_missing_file_makes_a_run_partial_and_nothing_is_fetched_twice(
    model_id: str, station: Station, served: Provider
) -> None:
    model = short(model_id, (0, 3, 6, 9))
    publish(served.folder, model)
    for path in served.folder.rglob("*"):
        if path.is_file() and any(part in path.name for part in ("PT006H", "-6h-", "f006")):
            path.unlink()
    station.clock.now = RUN + model.delay
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert (stored.header.steps, stored.header.partial) == ((0, 3, 9), True)
    assert repeated(served.files) == []


@pytest.mark.anyio
async def test_missing_gust_does_not_hold_up_the_wind(station: Station, served: Provider) -> None:
    model = short("icon-eu", (0, 1, 2))
    publish(served.folder, model)
    for path in served.folder.rglob("VMAX_10M/**/PT002H00M.grib2"):
        path.unlink()
    station.clock.now = RUN + model.delay
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert stored.header.steps == (0, 1, 2) and not stored.header.partial
    assert station.clock.now < RUN + model.delay + 15 * 60
    sample = stored.sample(54.3, 10.1)
    assert sample is not None
    assert np.isnan(sample[2]).tolist() == [True, False, True]


@pytest.mark.anyio
async def test_late_run_has_its_gusts(station: Station, served: Provider) -> None:
    model = short("icon-eu", (0, 1))
    station.clock.now = RUN + model.delay

    def appear() -> None:
        if station.clock.naps == 8:
            publish(served.folder, model)

    station.clock.on_nap = appear
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    sample = stored.sample(54.3, 10.1)
    assert sample is not None and np.isnan(sample[2]).tolist() == [True, False]


@pytest.mark.anyio
async def test_three_hourly_tail_inside_packages_is_learnt(
    station: Station, served: Provider
) -> None:
    """The packages have fewer steps than expected: the run is complete when all have come."""
    expected = short("arpege", tuple(range(25)))
    real = replace(expected, steps=lambda _hour: (*range(13), 15, 18, 21, 24))
    for batch in expected.upstream.batches(RUN, expected.steps_of(RUN)):
        inside = tuple(step for step in batch if step in real.steps_of(RUN))
        ((_, content),) = files_of(real, RUN, inside, "tiny")
        path = expected.upstream.path(RUN, batch[0])  # type: ignore[attr-defined]
        write(served.folder / "meteofrance" / path, content)
    stored = await station.ingest_of(expected).ingest_run(expected, RUN)
    assert stored.header.steps == real.steps_of(RUN) and not stored.header.partial
    assert repeated(served.files) == []
    assert station.clock.naps == 0


@pytest.mark.anyio
@pytest.mark.parametrize("really", [(0, 1, 2, 3, 6), (0, 2)], ids=["more", "fewer"])
async def test_steps_are_learnt_from_earlier_runs(
    really: tuple[int, ...], station: Station, served: Provider
) -> None:
    """A provider that changes its steps makes runs neither incomplete nor late."""
    expected = short("icon-d2", (0, 1, 2))
    real = short("icon-d2", really)
    for hour in (-6, -3):
        publish(served.folder, real, RUN + hour * HOUR)
    publish(served.folder, short("icon-d2", (0,)))

    def appear() -> None:
        if station.clock.naps in (2, 4):
            publish(served.folder, short("icon-d2", really[: station.clock.naps + 1]))

    station.clock.on_nap = appear
    station.clock.now = RUN + expected.delay
    stored = await station.ingest_of(expected).ingest_run(expected, RUN)
    assert (stored.header.steps, stored.header.partial) == (really, False)
    assert station.clock.now < RUN + expected.delay + expected.span
    assert repeated(served.files) == []


@pytest.mark.anyio
async def test_late_and_truncated_files_are_fetched_when_they_are_good(
    station: Station, served: Provider
) -> None:
    model = short("icon-eu", (0, 1, 2, 3))
    publish(served.folder, model)
    u, late = (
        served.folder / "dwd" / model.upstream.path(RUN, step, "U_10M")  # type: ignore[attr-defined]
        for step in (2, 3)
    )
    good, missing = u.read_bytes(), late.read_bytes()
    u.write_bytes(good[: len(good) // 2])
    late.unlink()

    def heal() -> None:
        if station.clock.naps == 3:
            u.write_bytes(good)
            late.write_bytes(missing)

    station.clock.on_nap = heal
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert stored.header.steps == (0, 1, 2, 3) and not stored.header.partial
    twice = repeated(served.files)
    assert all("U_10M/r/2026-05-12T00:00/s/PT002H00M.grib2" in path for path in twice)


@pytest.mark.anyio
async def test_only_the_tree_of_the_triangular_grids_is_asked(
    station: Station, served: Provider
) -> None:
    model = short("icon-eu", (0, 1, 2))
    tools = station.ingest_of(model).tools
    served.clock = clock = Clock(RUN + model.delay + model.span)
    (check,) = await check_sources((model,), tools.readers, tools.workers, clock)
    assert check.problem.startswith("12 00 UTC not found")
    assert served.asked and all(path.startswith("/dwd/v1/m/icon-eu/p/") for path in served.asked)
    publish(served.folder, model)
    (check,) = await check_sources((model,), tools.readers, tools.workers, clock)
    assert check.ok, check.problem
    # A clock that is a day behind finds no run: the table says why.
    served.clock = Clock(clock.now + 24 * HOUR)
    (check,) = await check_sources((model,), tools.readers, tools.workers, clock)
    assert check.problem == "the clock of this computer is 1440 minutes behind the provider's"


@pytest.mark.anyio
async def test_aicon_has_the_cells_of_icon(station: Station, served: Provider) -> None:
    """It has no coordinates of its own, and no pressure at its first step."""
    model = short("aicon", (0, 3))
    publish(served.folder, model)
    tree = served.folder / "dwd" / "v1/m"
    assert not (tree / "aicon/p/CLAT").exists() and (tree / "icon/p/CLAT").exists()
    for path in tree.glob("aicon/p/PMSL/r/*/s/PT000H00M.grib2"):
        path.unlink()
    station.clock.now = RUN + model.delay
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert stored.header.steps == (0, 3) and not stored.header.partial
    assert station.clock.naps == 0, "nothing is waited for"
    assert stored.sample(54.3, 10.1) is not None


@pytest.mark.anyio
async def test_coordinates_of_other_cells_are_refused(station: Station, served: Provider) -> None:
    model = short("icon-eu", (0, 1))
    publish(served.folder, model, place=GRID_62)
    other = Path(served.folder / "other")
    publish(other, model, place=CellPlace(63, 900, ICON_EU.area))
    for parameter in ("CLAT", "CLON"):
        path = f"dwd/{model.upstream.path(RUN, 0, parameter)}"  # type: ignore[attr-defined]
        write(served.folder / path, (other / path).read_bytes())
    station.clock.now = RUN + model.delay
    ingest = station.ingest_of(model)
    with pytest.raises(AppError, match="run_incomplete"):
        await ingest.ingest_run(model, RUN)
    assert repeated([path for path in served.files if "/CL" in path]) == []
    assert not list(station.catalogue.folder.glob("*.mesh"))


@pytest.mark.anyio
async def test_all_models_are_served_though_one_host_is_dead(
    tmp_path: Path, served: Provider, workers: Workers, caplog: pytest.LogCaptureFixture
) -> None:
    """Bytes stay within 1.1 times the published runs; the dead host is logged once."""
    models = [short(model.id, model.steps_of(RUN)[:3]) for model in (*MODELS, *WAVE_MODELS)]
    served.clock = clock = Clock(RUN + 12 * HOUR)
    for model in models:
        publish(served.folder, model)
    catalogue = Catalogue(tmp_path / "grids")
    caplog.set_level(logging.WARNING)
    async with OutboundClient(allow_private=True, retries=0) as outbound:
        readers = {
            model.provider: HttpReader(lambda: outbound, f"{served.address}/{model.provider}")
            for model in models
        }
        readers["noaa"] = HttpReader(lambda: outbound, "http://127.0.0.1:9")
        ingest = Ingest(catalogue, readers, models, workers, clock=clock, sleep=clock.sleep)
        for model in models:
            if model.provider == "noaa":
                with pytest.raises(Exception, match="run_incomplete"):
                    await ingest.ingest_run(model, RUN)
            else:
                await ingest.ingest_run(model, RUN)
        sent, files = served.sent, list(served.files)
        known = Forecasts(catalogue, ingest, clock).models()
        found = {each.id for each in (*known.models, *known.waves)}
        clock.now = RUN + 13 * HOUR
        checks = await check_sources(tuple(models), readers, workers, clock)
    assert found == {model.id for model in models}
    assert catalogue.forecasts.keys() == {model.id for model in models} - {"gfs", "gfs-wave"}
    assert sent <= 1.1 * published_bytes(served.folder)
    assert repeated(files) == []
    warned = [record for record in caplog.records if record.message.startswith("gfs")]
    # One for each of its models.
    assert len(warned) == 2
    failed = {each.model for each in checks if not each.ok}
    assert {"gfs", "gfs-wave"} <= failed
    assert not failed & {"icon", "aicon", "ecmwf", "aifs", "arpege", "ecmwf-wave"}
    assert "ok" in table_of(checks)


@pytest.mark.anyio
async def test_fields_that_are_no_longer_published_are_reported(
    station: Station, served: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    model = short("icon-eu", (0, 1))
    ingest = station.ingest_of(model)
    publish(served.folder, model)
    await ingest.ingest_run(model, RUN)
    later = RUN + 3 * HOUR
    publish(served.folder, model, later)
    for folder in ("VMAX_10M", "CLCT"):
        shutil.rmtree(served.folder / "dwd/v1/m/icon-eu/p" / folder)
    await ingest.ingest_run(model, later)
    assert [each.code for each in ingest.state(model.id).warnings] == ["fields_gone"]
    assert any("has no gust, cloud" in record.message for record in caplog.records)
