"""A plan cut into single files."""

from dataclasses import dataclass
from typing import Literal

from quartet.kernel.errors import AppError, Problem
from quartet.media.moves.acts import Route
from quartet.media.moves.faults import problem_from, told
from quartet.media.moves.names import sameness
from quartet.media.moves.order import Link
from quartet.media.moves.types import Action, OnConflict, Operation, Outcome, Plan, Role, Step
from quartet.media.roots.allowed import is_within
from quartet.media.roots.places import Places, Spot, outside


@dataclass(eq=False, slots=True)
class Work:
    """One file on its way from a plan to an outcome."""

    number: int
    step: Step
    role: Role
    source: Spot
    target: Spot
    main: "Work | None" = None
    # Another file of the plan goes to the same target and came first.
    is_twin: bool = False
    # How far the name had to be counted up.
    counted: int = 0
    route: Route | None = None
    operation: Operation | None = None
    outcome: Outcome | None = None

    @property
    def action(self) -> Action:
        return self.step.action

    @property
    def policy(self) -> OnConflict:
        """A companion was not compared with anything, so it replaces only what its video did."""
        if self.main is None or self.step.on_conflict != "keep_better":
            return self.step.on_conflict
        replaces = self.main.operation is not None and self.main.operation.backup is not None
        return "overwrite" if replaces else "skip"

    @property
    def is_done(self) -> bool:
        return self.outcome is not None and self.outcome.state == "done"

    @property
    def follows(self) -> bool:
        return self.main is not None and self.main.is_done

    @property
    def lets_follow(self) -> bool:
        """Whether its companions may go: it goes, it went, or it is where it should be."""
        if self.outcome is None or self.outcome.problem is None:
            return True
        return self.outcome.problem.code in ("same_path", "same_file")

    def finish(self, problem: Problem | None = None, *, skipped: bool = False) -> None:
        state: Literal["done", "skipped", "failed"] = "failed" if problem else "done"
        self.outcome = Outcome(
            self.number,
            self.step.item_id,
            self.role,
            self.source.path,
            self.operation.target if self.operation else self.target.path,
            "skipped" if skipped else state,
            told(problem) if problem else None,
        )

    def link(self) -> Link:
        open_ended = self.outcome is not None or self.is_twin
        leaves = self.action == "move" and self.outcome is None
        # A twin goes to a name that is not known yet.
        return Link(self.source.path, "" if open_ended else self.target.path, leaves)


class Cut:
    """The files of a plan in its order, and what was refused because of its path alone."""

    def __init__(self, plan: Plan, places: Places) -> None:
        self.works: list[Work] = []
        self.refused: list[Outcome] = []
        self._places = places
        self._kept = places.paths | plan.keep_folders
        for number, step in enumerate(plan.steps):
            main = self._add(number, step, "main", step.source, step.target)
            if main is None:
                continue
            for companion in step.companions:
                self._add(number, step, "companion", *companion, main)
        self._settle_twins()

    def _add(
        self,
        number: int,
        step: Step,
        role: Role,
        source: str,
        target: str,
        main: Work | None = None,
    ) -> Work | None:
        try:
            spots = self._places.spot(source), self._places.spot(target)
            for spot in spots:
                if not spot.parts:  # a configured folder stays where it is
                    raise outside(spot.path)
            if any(is_within(one, spots[0].path) for one in self._kept):
                raise AppError(409, "folder_kept", path=spots[0].name)
        except AppError as error:
            problem = problem_from(error, source)
            self.refused.append(
                Outcome(number, step.item_id, role, source, target, "failed", problem)
            )
            return None
        work = Work(number, step, role, *spots, main)
        self.works.append(work)
        return work

    def _settle_twins(self) -> None:
        """Compared as the least careful disk would; the first one wins."""
        taken: set[str] = set()
        for work in self.works:
            key = sameness(work.target.path)
            work.is_twin = key in taken
            taken.add(key)
            if work.is_twin and work.policy != "suffix" and work.source != work.target:
                work.finish(Problem("duplicate_target", {"path": work.target.name}))
