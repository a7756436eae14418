"""Check that every provider still publishes what this program reads, for `check-sources`."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.wind.grid.layout import CellGrid
from quartet.wind.ingest import jobs
from quartet.wind.ingest.types import FieldSummary
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Model, Provider, Reader, run_text

# The strongest wind and the highest wave of a whole field are within these ranges.
_PLAUSIBLE = {"m/s": (1.0, 120.0), "m": (0.2, 40.0)}
_MOST_MISSING = 0.6
# Seconds; answers of a cache may be a little older.
_MOST_AHEAD = 600.0
# Runs that are looked for, from the newest on.
_RUNS = 4


class SourceCheck(NamedTuple):
    """`problem` is empty if the source is fine."""

    model: str
    run: int | None = None
    age_hours: float | None = None
    steps: int | None = None
    field: FieldSummary | None = None
    problem: str = ""

    @property
    def ok(self) -> bool:
        return not self.problem


async def check_source(
    model: Model, reader: Reader, workers: Workers, clock: Callable[[], float]
) -> SourceCheck:
    """Find the newest run of a model, and decode the wind or waves of its first good step.

    A wrong clock fails too, because it is the reason if no run is found.
    """
    found = await _search(model, reader, workers, clock)
    wrong = _wrong_clock(reader, clock())
    return found._replace(problem="; ".join(filter(None, (wrong, found.problem))))


def _wrong_clock(reader: Reader, now: float) -> str:
    ahead = now - (reader.time() or now)
    if abs(ahead) < _MOST_AHEAD:
        return ""
    direction = "ahead of" if ahead > 0 else "behind"
    return f"the clock of this computer is {abs(ahead) / 60:.0f} minutes {direction} the provider's"


async def _search(
    model: Model, reader: Reader, workers: Workers, clock: Callable[[], float]
) -> SourceCheck:
    problems: list[str] = []
    for run in _newest_runs(model, clock()):
        try:
            return await _check_run(model, run, reader, workers, clock)
        except NotYet:
            problems.append(f"{run_text(run, '%d %H')} UTC not found")
        except Refused as refused:
            problems.append(f"{run_text(run, '%d %H')} UTC: {refused.reason}")
        except AppError as error:
            problems.append(str(error))
            break
    return SourceCheck(model.id, problem="; ".join(problems[:3]))


async def check_sources(
    models: tuple[Model, ...],
    readers: Mapping[Provider, Reader],
    workers: Workers,
    clock: Callable[[], float],
) -> list[SourceCheck]:
    return [await check_source(model, readers[model.provider], workers, clock) for model in models]


def _newest_runs(model: Model, now: float) -> Iterator[int]:
    run = model.run_at_or_before(now - model.delay - model.span)
    for _ in range(_RUNS):
        yield run
        run = model.run_at_or_before(run - 1)


async def _check_run(
    model: Model,
    run: int,
    reader: Reader,
    workers: Workers,
    clock: Callable[[], float],
) -> SourceCheck:
    upstream = model.upstream
    listed = await upstream.listed(reader, run, with_extras=False)
    if listed is not None and not listed.steps:
        raise NotYet
    steps = model.steps_of(run) if listed is None else listed.steps
    batches = upstream.batches(run, steps)
    batch = batches[min(1, len(batches) - 1)]
    fetched = await upstream.fetch(reader, run, batch, listed, with_extras=False)
    place = await workers.run(jobs.find_place, fetched, model.id, model.area)
    if isinstance(place, CellGrid):
        coordinates = await upstream.fetch_cells(reader, run)
        await workers.run(jobs.check_coordinates, coordinates, place, model.id)
    field = await workers.run(jobs.summarize, fetched, run)
    count = None if listed is None else len(listed.steps)
    age = clock() - run
    return SourceCheck(
        model.id,
        run,
        age / 3600,
        count,
        field,
        _problem(model, age, field),
    )


def _problem(model: Model, age: float, field: FieldSummary) -> str:
    low, high = _PLAUSIBLE[field.unit]
    if not low <= field.highest <= high:
        return f"implausible maximum of {field.highest:.1f} {field.unit}"
    if field.missing > _MOST_MISSING * field.points:
        return f"{field.missing} of {field.points} values are missing"
    if age > model.longest:
        return "late"
    return ""


def table_of(checks: list[SourceCheck]) -> str:
    rows: list[tuple[str, ...]] = [
        ("model", "run (UTC)", "age h", "steps", "points", "maximum", "also has", "result")
    ]
    rows += [_row(each) for each in checks]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    )


def _row(check: SourceCheck) -> tuple[str, ...]:
    return (
        check.model,
        run_text(check.run, "%Y-%m-%d %H:%M") if check.run is not None else "-",
        f"{check.age_hours:.1f}" if check.age_hours is not None else "-",
        str(check.steps) if check.steps is not None else "-",
        str(check.field.points) if check.field else "-",
        f"{check.field.highest:.1f} {check.field.unit}" if check.field else "-",
        " ".join(check.field.extras) if check.field and check.field.extras else "-",
        check.problem or "ok",
    )
