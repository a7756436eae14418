"""A run that is served without some steps is completed when its provider adds them after all."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quartet.wind.demo.mirror import files_of
from quartet.wind.ingest import jobs
from quartet.wind.ingest.service import Ingest
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.refused import Refused
from quartet.wind.models.types import Model
from tests.wind.conftest import Station
from tests.wind.upstream import HOUR, RUN, Provider, publish, short, write

MINUTE = 60
# Each is a step of the run: 6 is missing at first, and 9 as well.
STEPS = (0, 3, 6, 9)
LATE = ("PT006H", "-6h-", "f006", "PT009H", "-9h-", "f009")


def hold_back(served: Provider, parts: tuple[str, ...] = LATE) -> dict[Path, bytes]:
    """Remove files that the provider has not made yet, and return them."""
    late = {
        path: path.read_bytes()
        for path in served.folder.rglob("*")
        if path.is_file() and any(part in path.name for part in parts)
    }
    for path in late:
        path.unlink()
    return late


def add(files: dict[Path, bytes]) -> None:
    for path, content in files.items():
        write(path, content)


async def look_for(ingest: Ingest, model: Model, station: Station, seconds: float) -> None:
    """Look once a minute, as the background task does."""
    end = station.clock.now + seconds
    while station.clock.now < end:
        await ingest.look(model)
        await station.clock.sleep(MINUTE)


async def partly_served(station: Station, model: Model) -> Ingest:
    station.clock.now = RUN + model.delay
    ingest = station.ingest_of(model)
    stored = await ingest.ingest_run(model, RUN)
    assert stored.header.partial
    return ingest


def values(station: Station, model: Model) -> dict[int, bytes]:
    """Return the numbers of each step that is served."""
    newest = station.catalogue.newest(model.id)
    assert newest is not None
    return {
        step: b"".join(newest.channel(step, name).tobytes() for name in newest.header.channels)
        for step in newest.header.steps
    }


def repeated(files: list[str]) -> list[str]:
    return [path for path, count in Counter(files).items() if count > 1]


@pytest.mark.anyio
@pytest.mark.parametrize("restarted", [False, True], ids=["running", "restarted"])
@pytest.mark.parametrize("model_id", ["icon-eu", "ecmwf", "gfs"])
async def test_partial_run_is_completed_without_fetching_anything_twice(
    model_id: str, restarted: bool, station: Station, served: Provider
) -> None:
    model = short(model_id, STEPS)
    publish(served.folder, model)
    late = hold_back(served)
    ingest = await partly_served(station, model)
    before = values(station, model)
    assert list(before) == [0, 3]
    if restarted:
        ingest = station.ingest_of(model)
    add(late)
    await look_for(ingest, model, station, 15 * MINUTE)
    after = values(station, model)
    assert list(after) == list(STEPS)
    assert {step: after[step] for step in before} == before
    newest = station.catalogue.newest(model.id)
    assert newest is not None and not newest.header.partial
    assert ingest.state(model.id).warnings == []
    fields = [file for file in served.files if not file.endswith((".index ", ".idx "))]
    assert repeated(fields) == []
    # The same numbers as those of a run that has arrived at once.
    station.catalogue.remove(model.id, RUN)
    await station.ingest_of(model).ingest_run(model, RUN)
    assert values(station, model) == after


@pytest.mark.anyio
async def test_step_whose_gust_is_late_is_added_with_its_gust(
    station: Station, served: Provider
) -> None:
    model = short("icon-eu", STEPS)
    publish(served.folder, model)
    late = hold_back(served)
    ingest = await partly_served(station, model)
    gusts = {path: content for path, content in late.items() if "VMAX" in str(path)}
    add({path: content for path, content in late.items() if path not in gusts})
    await look_for(ingest, model, station, 11 * MINUTE)
    assert list(values(station, model)) == [0, 3]
    add(gusts)
    await look_for(ingest, model, station, 16 * MINUTE)
    newest = station.catalogue.newest(model.id)
    assert newest is not None and newest.header.steps == STEPS
    sample = newest.sample(54.3, 10.1)
    assert sample is not None
    assert np.isnan(sample[2]).tolist() == [True, False, False, False]


@pytest.mark.anyio
async def test_steps_whose_gust_never_comes_are_added_without_it(
    station: Station, served: Provider
) -> None:
    model = short("icon-eu", STEPS)
    publish(served.folder, model)
    late = hold_back(served)
    ingest = await partly_served(station, model)
    add({path: content for path, content in late.items() if "VMAX" not in str(path)})
    await look_for(ingest, model, station, 40 * MINUTE)
    assert list(values(station, model)) == list(STEPS)


@pytest.mark.anyio
async def test_provider_that_adds_nothing_is_asked_ever_more_rarely(
    station: Station, served: Provider
) -> None:
    model = short("icon-eu", STEPS)
    publish(served.folder, model)
    hold_back(served)
    ingest = await partly_served(station, model)
    model = replace(model, delay=24 * HOUR)
    served.asked.clear()
    times = []
    for _ in range(4 * 60):
        before = len(served.asked)
        await ingest.look(model)
        if len(served.asked) > before:
            times.append(station.clock.now)
        await station.clock.sleep(MINUTE)
    pauses = np.diff(times).tolist()
    assert pauses == sorted(pauses) and 5 <= len(times) <= 8
    assert not list(station.catalogue.folder.glob("*/.unfinished-*"))


@pytest.mark.anyio
async def test_packages_with_fewer_steps_are_not_fetched_again(
    station: Station, served: Provider
) -> None:
    """A package that is there, but lacks a step, will not get it later; a missing one may come."""
    expected = short("arpege", tuple(range(25)))
    inside = {0: tuple(range(13)), 13: (15, 18, 21, 24)}
    real = replace(expected, steps=lambda _hour: (*inside[0], *inside[13]))
    packages = {}
    for first, steps in inside.items():
        ((_, content),) = files_of(real, RUN, steps, "tiny")
        path = expected.upstream.path(RUN, first)  # type: ignore[attr-defined]
        packages[first] = {served.folder / "meteofrance" / path: content}
    add(packages[0])
    ingest = await partly_served(station, expected)
    add(packages[13])
    await look_for(ingest, expected, station, 15 * MINUTE)
    assert list(values(station, expected)) == [*inside[0], *inside[13]]
    served.asked.clear()
    await look_for(ingest, expected, station, 2 * HOUR)
    await look_for(station.ingest_of(expected), expected, station, 30 * MINUTE)
    assert [path for path in served.asked if str(RUN) in path or "SP1" in path] == []


@pytest.mark.anyio
async def test_crashed_worker_leaves_the_served_run(
    station: Station, served: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = short("ecmwf", STEPS)
    publish(served.folder, model)
    late = hold_back(served)
    ingest = await partly_served(station, model)
    add(late)
    run = Workers.run

    async def crashing(workers: Workers, work: Any, *args: Any) -> Any:
        if work is jobs.split:
            raise Refused("unreadable")
        return await run(workers, work, *args)

    with monkeypatch.context() as patched:
        patched.setattr(Workers, "run", crashing)
        await look_for(ingest, model, station, 11 * MINUTE)
    assert list(values(station, model)) == [0, 3]
    assert not list(station.catalogue.folder.glob("*/.unfinished-*"))
    await look_for(ingest, model, station, 20 * MINUTE)
    assert list(values(station, model)) == list(STEPS)


@pytest.mark.anyio
async def test_newer_run_takes_precedence(station: Station, served: Provider) -> None:
    model = short("icon-d2", STEPS)
    publish(served.folder, model)
    late = hold_back(served)
    ingest = await partly_served(station, model)
    newer = RUN + model.interval
    publish(served.folder, model, newer)
    add(late)
    station.clock.now = newer + model.delay
    asked = len(served.asked)
    await look_for(ingest, model, station, HOUR)
    assert [run.run for run in station.catalogue.runs(model.id)] == [newer, RUN]
    assert not any("2026-05-12T00:00/s/PT006H" in path for path in served.asked[asked:])


@pytest.mark.anyio
async def test_run_is_completed_while_the_next_one_is_late(
    station: Station, served: Provider
) -> None:
    model = short("icon-d2", STEPS)
    publish(served.folder, model)
    late = hold_back(served)
    ingest = await partly_served(station, model)
    newer = RUN + model.interval
    station.clock.now = newer + model.delay
    seen = []

    def appear() -> None:
        add(late)
        newest = station.catalogue.newest(model.id)
        seen.append(newest is not None and newest.header.partial)
        if not seen[-1]:
            publish(served.folder, model, newer)

    station.clock.on_nap = appear
    await ingest.look(model)
    assert seen[0] and not seen[-1]
    runs = station.catalogue.runs(model.id)
    assert [(run.run, run.header.partial) for run in runs] == [(newer, False), (RUN, False)]


@pytest.mark.anyio
async def test_long_completion_is_interrupted_for_a_newer_run(
    station: Station, served: Provider
) -> None:
    """A look ends after two minutes; the next one goes on where it ended."""
    model = short("icon-eu", tuple(range(12)))
    publish(served.folder, model)
    late = hold_back(served, tuple(f"PT{step:03}H" for step in range(2, 12)))
    ingest = await partly_served(station, model)
    await ingest.look(model)
    add(late)
    station.clock.elapsed += HOUR

    def slow_answer() -> float:
        station.clock.now += 3
        station.clock.elapsed += 3
        return station.clock.now

    served.clock = slow_answer
    fetched = []
    while list(values(station, model)) == [0, 1]:
        before = len(served.files)
        await ingest.look(model)
        fetched.append(len(served.files) - before)
    assert len(fetched) > 1 and all(fetched)
    assert list(values(station, model)) == list(range(12))
    assert repeated(served.files) == []


@pytest.mark.anyio
async def test_provider_slower_than_its_interval_is_waited_for(
    station: Station, served: Provider
) -> None:
    """Every run appears after the next two should have: none would be fetched in time."""
    model = short("icon-d2-ruc", (0, 1, 2))
    ingest = station.ingest_of(model)
    published = set()
    slowness = model.delay + model.span + model.interval + 30 * MINUTE

    def appear() -> None:
        run = model.run_at_or_before(station.clock.now - slowness)
        if run not in published:
            published.add(run)
            publish(served.folder, model, run)

    station.clock.on_nap = appear
    station.clock.now = RUN
    while station.clock.now < RUN + 12 * HOUR:
        await ingest.look(model)
        await station.clock.sleep(MINUTE)
    newest = station.catalogue.newest(model.id)
    assert newest is not None and not newest.header.partial
    assert station.clock.now - newest.run < slowness + 2 * HOUR
    assert repeated(served.files) == []
