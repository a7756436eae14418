"""Which complete runs there are, in memory; the folders on the disk are the truth."""

import logging
import shutil
import threading
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from quartet.wind.grid.writing import UNFINISHED

if TYPE_CHECKING:
    from quartet.wind.grid.reading import StoredRun

log = logging.getLogger("quartet.wind.grid")

# The run before stays for those whose page still shows its hours.
KEPT_RUNS = 2

# Whether a run that was asked for, as its address spells it, has come meanwhile.
CatchUp = Callable[[str, str], Awaitable[bool]]


async def no_more(_model: str, _run: str) -> bool:
    """Where nobody else brings runs."""
    return False


class Catalogue:
    """Every change replaces all of it: whoever reads sees the old runs or the new ones."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Runs of several models arrive at the same time, each in a thread of its own.
        self._changing = threading.Lock()
        self._runs: dict[str, tuple[StoredRun, ...]] = {}
        # Of each model that has one.
        self.newest_runs: Mapping[str, StoredRun] = {}
        self._read()

    @property
    def models(self) -> "Mapping[str, tuple[StoredRun, ...]]":
        return self._runs

    def runs(self, model: str) -> "tuple[StoredRun, ...]":
        """Newest first."""
        return self._runs.get(model, ())

    def newest(self, model: str) -> "StoredRun | None":
        return self.newest_runs.get(model)

    def run(self, model: str, run: int) -> "StoredRun | None":
        return next((each for each in self.runs(model) if each.run == run), None)

    def add(self, folder: Path) -> "StoredRun":
        """Serves a finished run and forgets those that are too old."""
        # Here and not above: a service without any run need not load numpy.
        from quartet.wind.grid.reading import StoredRun

        added = StoredRun(folder)
        with self._changing:
            others = [each for each in self.runs(added.model) if each.run != added.run]
            runs = sorted([added, *others], key=lambda each: each.run, reverse=True)
            self._set(added.model, tuple(runs[:KEPT_RUNS]))
        for old in runs[KEPT_RUNS:]:
            shutil.rmtree(old.folder, ignore_errors=True)
        return added

    def remove(self, model: str, run: int) -> bool:
        """Whether there was such a run; those who read it just now can finish."""
        with self._changing:
            found = self.run(model, run)
            if found is None:
                return False
            self._set(model, tuple(each for each in self.runs(model) if each is not found))
        shutil.rmtree(found.folder, ignore_errors=True)
        return True

    def _set(self, model: str, runs: "tuple[StoredRun, ...]") -> None:
        self._runs = {**self._runs, model: runs}
        self.newest_runs = {each: runs[0] for each, runs in self._runs.items() if runs}

    def _read(self) -> None:
        for folder in sorted(self.folder.glob("*/*/")):
            if folder.name.startswith(UNFINISHED):
                shutil.rmtree(folder, ignore_errors=True)
                continue
            try:
                self.add(folder)
            except (OSError, ValueError) as error:
                # Left where it is: it may belong to a newer release.
                log.warning("a run cannot be read: %s", error)
