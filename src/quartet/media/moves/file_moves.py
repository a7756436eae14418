"""The single file moves of a plan."""

from dataclasses import dataclass
from typing import Literal

from quartet.kernel.errors import AppError, Problem
from quartet.media.moves.disk_errors import problem_from, with_encoded_paths
from quartet.media.moves.file_operations import MovePaths
from quartet.media.moves.generated_names import collision_key
from quartet.media.moves.move_order import MoveLink
from quartet.media.moves.types import Action, OnConflict, Operation, Outcome, Plan, Role, Step
from quartet.media.roots.allowed_folders import is_within
from quartet.media.roots.folder_access import FolderAccess, RootedPath, outside_error


@dataclass(eq=False, slots=True)
class FileMove:
    """The move of one file."""

    number: int
    step: Step
    role: Role
    source: RootedPath
    target: RootedPath
    main: "FileMove | None" = None
    # An earlier file of the plan has the same target.
    is_duplicate: bool = False
    # The number added to make the name unique.
    number_suffix: int = 0
    route: MovePaths | None = None
    operation: Operation | None = None
    outcome: Outcome | None = None

    @property
    def action(self) -> Action:
        return self.step.action

    @property
    def policy(self) -> OnConflict:
        """The conflict action.

        A companion file is not compared, so it replaces only what its video did.
        """
        if self.main is None or self.step.on_conflict != "keep_better":
            return self.step.on_conflict
        replaces = self.main.operation is not None and self.main.operation.backup is not None
        return "overwrite" if replaces else "skip"

    @property
    def is_done(self) -> bool:
        return self.outcome is not None and self.outcome.state == "done"

    @property
    def follows_moved_main(self) -> bool:
        return self.main is not None and self.main.is_done

    @property
    def allows_companions(self) -> bool:
        """Whether companion files may move: the video moves, moved or already is at its target."""
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
            with_encoded_paths(problem) if problem else None,
        )

    def link(self) -> MoveLink:
        open_ended = self.outcome is not None or self.is_duplicate
        leaves = self.action == "move" and self.outcome is None
        # The target of a duplicate is not known yet.
        return MoveLink(self.source.path, "" if open_ended else self.target.path, leaves)


class PlannedMoves:
    """The files of a plan in order, and those refused because of their path."""

    def __init__(self, plan: Plan, access: FolderAccess) -> None:
        self.moves: list[FileMove] = []
        self.refused: list[Outcome] = []
        self._access = access
        self._kept = access.paths | plan.keep_folders
        for number, step in enumerate(plan.steps):
            main = self._add(number, step, step.role, step.source, step.target)
            if main is None:
                continue
            for companion in step.companions:
                self._add(number, step, "companion", *companion, main)
        self._mark_duplicates()

    def _add(
        self,
        number: int,
        step: Step,
        role: Role,
        source: str,
        target: str,
        main: FileMove | None = None,
    ) -> FileMove | None:
        try:
            locations = self._access.resolve(source), self._access.resolve(target)
            for location in locations:
                if not location.parts:  # a configured folder is never moved
                    raise outside_error(location.path)
            if any(is_within(one, locations[0].path) for one in self._kept):
                raise AppError(409, "folder_kept", path=locations[0].name)
        except AppError as error:
            problem = problem_from(error, source)
            self.refused.append(
                Outcome(number, step.item_id, role, source, target, "failed", problem)
            )
            return None
        move = FileMove(number, step, role, *locations, main)
        self.moves.append(move)
        return move

    def _mark_duplicates(self) -> None:
        """Find duplicates as a case-insensitive disk would see them; the first one wins."""
        taken: set[str] = set()
        for move in self.moves:
            key = collision_key(move.target.path)
            move.is_duplicate = key in taken
            taken.add(key)
            if move.is_duplicate and move.policy != "suffix" and move.source != move.target:
                move.finish(Problem("duplicate_target", {"path": move.target.name}))
