"""Admin page: stored and incoming model runs."""

import asyncio
import shutil
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from quartet.kernel.errors import AppError, Problem
from quartet.kernel.supervisor import Supervisor
from quartet.wind.admin.background import task_id_of
from quartet.wind.grid.catalogue import KEPT_RUNS, Catalogue
from quartet.wind.ingest.service import Ingest, loop_name
from quartet.wind.models.types import Model
from quartet.wind.site.service import SiteSettings

if TYPE_CHECKING:
    from quartet.wind.grid.reading import StoredRun


class AdminRun(msgspec.Struct, frozen=True):
    """A complete run on disk; `age` is the number of seconds since the start of the run."""

    run: int
    steps: int
    bytes: int
    written: int
    age: int


class AdminIncoming(msgspec.Struct, frozen=True):
    """A run that is being fetched: `done` of `steps` steps are stored."""

    run: int
    steps: int
    done: int


class AdminModel(msgspec.Struct, frozen=True, rename="camel"):
    """`due` is the newest run that can be available; `overdue`: the served run is too old.

    `warnings` do not stop a run: missing steps, a changed grid, a late model.
    """

    id: str
    name: str
    provider: str
    runs: list[AdminRun]
    incoming: AdminIncoming | None
    due: int
    age: int | None
    overdue: bool
    last_try: float | None
    last_success: float | None
    error: Problem | None
    task: str
    warnings: list[Problem] = []


class AdminEnsemble(msgspec.Struct, frozen=True, rename="camel"):
    """An ensemble that can be selected with the setting `ensembles`.

    `bytes`: its runs on disk; `expected_bytes`: what two complete runs take.
    """

    id: str
    name: str
    selected: bool
    members: int
    reach_hours: int
    runs_per_day: int
    bytes: int
    expected_bytes: int


class AdminForecasts(msgspec.Struct, frozen=True, rename="camel"):
    """`postponed_until` in Unix seconds; null if runs are fetched as they appear."""

    models: list[AdminModel]
    postponed_until: int | None
    ensembles: list[AdminEnsemble] = []
    free_bytes: int = 0


class _Size(NamedTuple):
    members: int
    points: int


# The number of points of ICON-EU-EPS is an estimate from its resolution.
_SIZES = {
    "icon-d2-eps": _Size(20, 542_040),
    "icon-eu-eps": _Size(40, 192_000),
    "ecmwf-ens": _Size(51, 1_038_240),
    "gefs": _Size(31, 259_920),
}
_NUMBER_BYTES = 2


class LookNow(msgspec.Struct, frozen=True, omit_defaults=True):
    """Look for runs of one model, or of all models if `model` is not set."""

    model: str | None = None


class AdminRuns:
    def __init__(
        self,
        catalogue: Catalogue,
        ingest: Ingest,
        supervisor: Supervisor,
        site: SiteSettings,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._catalogue = catalogue
        self._ingest = ingest
        self._supervisor = supervisor
        self._site = site
        self._clock = clock

    async def everything(self) -> AdminForecasts:
        await self._ingest.select()
        ensembles = [self._ensemble(each) for each in self._ingest.known_ensembles]
        disk = await asyncio.to_thread(shutil.disk_usage, self._catalogue.folder.parent)
        return AdminForecasts(self.models(), await self.postponed_until(), ensembles, disk.free)

    def models(self) -> list[AdminModel]:
        return [self._model(each) for each in self._ingest.models]

    def wind_models(self) -> list[AdminModel]:
        """Return the models that the map can draw."""
        return [self._model(each) for each in self._ingest.wind_models]

    async def postponed_until(self) -> int | None:
        until = (await self._site.get()).map_postponed_until
        return until if until > self._clock() else None

    async def look(self, model: str | None) -> None:
        """Look for new runs now, including runs that were cancelled or postponed."""
        wanted = self._wanted(model)
        await self._site.reset("map_postponed_until")
        for each in wanted:
            self._ingest.want(each.id)
            self._supervisor.run_now(loop_name(each))

    def give_up(self, model: str | None) -> list[str]:
        """Cancel incoming runs and return the ids of their models."""
        return [each.id for each in self._wanted(model) if self._ingest.give_up(each.id)]

    async def postpone(self, hours: int, by: int) -> int | None:
        if hours:
            until = int(self._clock()) + hours * 3600
            await self._site.set("map_postponed_until", until, by)
        else:
            await self._site.reset("map_postponed_until")
        return await self.postponed_until()

    async def remove(self, model: str, run: str) -> None:
        """Delete a run; if it is still due, the next check fetches it again."""
        found = next((each for each in self._catalogue.runs(model) if str(each.run) == run), None)
        if found is None:
            raise AppError(404, "not_found")
        await asyncio.to_thread(self._catalogue.remove, model, found.run)

    def _wanted(self, model: str | None) -> list[Model]:
        wanted = [each for each in self._ingest.models if model in (None, each.id)]
        if not wanted:
            raise AppError(404, "not_found", path=str(model)[:80])
        return wanted

    def _model(self, model: Model) -> AdminModel:
        state = self._ingest.state(model.id)
        runs = [self._run(each) for each in self._catalogue.runs(model.id)]
        coming = state.incoming
        age = runs[0].age if runs else None
        return AdminModel(
            id=model.id,
            name=model.name,
            provider=model.provider,
            runs=runs,
            incoming=AdminIncoming(coming.run, coming.steps, coming.done) if coming else None,
            due=self._ingest.due(model),
            age=age,
            overdue=self._ingest.is_late(model),
            last_try=state.last_try,
            last_success=state.last_success,
            error=state.error,
            task=task_id_of(loop_name(model)),
            warnings=list(state.warnings),
        )

    def _ensemble(self, model: Model) -> AdminEnsemble:
        size = _SIZES[model.id]
        values = size.points * len(model.steps(model.run_hours[0])) * len(model.channels)
        return AdminEnsemble(
            id=model.id,
            name=model.name,
            selected=model in self._ingest.ensembles,
            members=size.members,
            reach_hours=model.reach_hours,
            runs_per_day=len(model.run_hours),
            bytes=sum(run.header.size for run in self._catalogue.runs(model.id)),
            expected_bytes=values * _NUMBER_BYTES * KEPT_RUNS,
        )

    def _run(self, run: "StoredRun") -> AdminRun:
        header = run.header
        age = int(self._clock() - run.run)
        return AdminRun(run.run, len(header.steps), header.size, header.written, age)
