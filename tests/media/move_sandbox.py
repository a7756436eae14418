"""Folders for downloads, a library and a library on another disk, with the journal database."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from quartet.kernel.db import Database, Tx, open_database
from quartet.media.app import SERVICE
from quartet.media.history import store as history_store
from quartet.media.history.undo import Undoer
from quartet.media.moves import store as moves_store
from quartet.media.moves.disk import Identity, identity
from quartet.media.moves.engine import MoveEngine
from quartet.media.moves.reconcile import reconcile
from quartet.media.moves.types import MoveReport, Operation, Plan, Step
from quartet.media.roots import store as roots_store
from quartet.media.roots.folder_access import FolderAccess
from tests.databases import put_empty_database
from tests.prerequisites import second_file_system

OLD_TIME_NS = 1_600_000_000_123_456_789


class MoveSandbox:
    """Can be opened again after a crash and then finds the files of the previous one."""

    def __init__(self, base: Path, far: Path) -> None:
        self.base = base
        self.downloads, self.library = base / "downloads", base / "library"
        self.far = far
        is_new = not self.downloads.exists()
        if is_new:
            for folder in (self.downloads, self.library, base / "config"):
                folder.mkdir()
            put_empty_database(base / "config", SERVICE.history)
        self.db: Database = open_database(base / "config", "media")
        if is_new:
            self.db.write_sync(self._configure)
        with self.db.engine.connect() as conn:
            self.access = FolderAccess(roots_store.all_folders(conn))

    def _configure(self, tx: Tx) -> None:
        for path in (self.downloads, self.library, self.far):
            roots_store.add(tx.conn, str(path), path.name, "folder", mounted=False)

    def file(self, path: str, content: str = "") -> Path:
        """Create a file below the base with its own modification time."""
        file = self.base / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content or path)
        os.utime(file, ns=(OLD_TIME_NS, OLD_TIME_NS + len(path)))
        return file

    def run(self, *steps: Step, job_id: int | None = None, **options: Any) -> MoveReport:
        clean = options.pop("clean_sources", True)
        plan = Plan(steps, job_id=job_id, clean_sources=clean)
        return MoveEngine(self.db, self.access, plan, **options).run()

    def step(self, source: str, target: str, **options: Any) -> Step:
        """Return a step with paths below the base."""
        return Step(str(self.base / source), str(self.base / target), **options)

    def rows(self) -> list[Operation]:
        with self.db.engine.connect() as conn:
            return moves_store.find(conn)

    def undo(self, *rows: Operation) -> Undoer:
        """Undo these operations, or all of them."""
        if not rows:
            with self.db.engine.connect() as conn:
                rows = tuple(history_store.done_since(conn, 0))
        undoer = Undoer(self.db, self.access, lambda: False, lambda: 1)
        undoer.undo(rows)
        return undoer

    def reconcile(self) -> int:
        return reconcile(self.db)

    def tree(self) -> dict[str, tuple[bytes, int]]:
        """Return every file with its content and time."""
        found = {}
        for top in (self.downloads, self.library, self.far):
            for folder, _, names in os.walk(top):
                for name in names:
                    path = Path(folder, name)
                    found[str(path)] = (path.read_bytes(), path.stat().st_mtime_ns)
        return found

    def contents(self) -> Counter[bytes]:
        return Counter(content for content, _ in self.tree().values())

    def check_history(self) -> None:
        """Check that every done operation's file is at its target, unless a later run moved it."""
        rows = self.rows()
        moved_on: set[str] = set()
        assert {row.state for row in rows} <= {"done", "failed", "undone"}
        assert {row.error.code for row in rows if row.error} <= {"interrupted"}
        for row in reversed(rows):
            if row.state != "done":
                continue
            if row.target not in moved_on:
                seen = Path(row.target).stat()
                assert identity(seen) == Identity(row.size, row.mtime_ns, row.inode)
                assert not row.backup or Path(row.backup).exists()
            moved_on |= {row.source, row.target}

    def names(self, folder: Path) -> list[str]:
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@contextmanager
def move_sandbox_at(base: Path) -> Iterator[MoveSandbox]:
    with second_file_system(base) as far:
        sandbox = MoveSandbox(base, far)
        yield sandbox
        sandbox.db.close()


def codes(report: MoveReport) -> list[str | None]:
    """Return the problem codes in the order of the plan."""
    outcomes = sorted(report.outcomes, key=lambda one: (one.step, one.role != "main"))
    return [one.problem.code if one.problem else None for one in outcomes]
