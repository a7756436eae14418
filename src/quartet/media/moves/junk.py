"""Source folders without anything of worth are removed; their junk can be brought back."""

import re
from collections.abc import Iterable
from contextlib import suppress

from quartet.kernel.clock import now_ms
from quartet.kernel.errors import AppError
from quartet.media.moves.disk import Disk, identity
from quartet.media.moves.journal import Journal
from quartet.media.moves.names import JUNK_FOLDER, shortened, temporary_name
from quartet.media.moves.types import Operation
from quartet.media.roots.places import Spot

_JUNK = re.compile(
    r"thumbs\.db|\.ds_store|desktop\.ini|.*\.(url|nzb|sfv|srr|par2)|rarbg.*\.(txt|exe)",
    re.IGNORECASE | re.DOTALL,
)


def is_junk(name: str) -> bool:
    return _JUNK.fullmatch(name) is not None


class Cleaner:
    def __init__(
        self, disk: Disk, journal: Journal, run: str, job_id: int | None, keep: frozenset[str]
    ) -> None:
        self._disk = disk
        self._journal = journal
        self._run = run
        self._job_id = job_id
        self._keep = keep

    def clean(self, folders: Iterable[Spot]) -> None:
        self._disk.forget()
        junk: dict[Spot, Operation] = {}
        empty: set[Spot] = set()
        for folder in self._deepest_first(folders):
            found = self._only_junk(folder, empty)
            if found is not None:
                empty.add(folder)
                junk.update(found)
        self._journal.intend(list(junk.values()))
        for spot, operation in junk.items():
            self._put_away(spot, operation)
        self._journal.flush()
        for folder in sorted(empty, key=_depth, reverse=True):
            self._disk.remove_empty(folder)

    def _deepest_first(self, folders: Iterable[Spot]) -> list[Spot]:
        """With the folders around them, as far as these may be removed."""
        found: set[Spot] = set()
        for folder in folders:
            while folder.parts and folder not in found and folder.path not in self._keep:
                found.add(folder)
                folder = folder.parent
        return sorted(found, key=_depth, reverse=True)

    def _only_junk(self, folder: Spot, empty: set[Spot]) -> dict[Spot, Operation] | None:
        """The junk in a folder without anything else; nothing at all when it must stay."""
        junk: dict[Spot, Operation] = {}
        with suppress(AppError, OSError):
            for entry in self._disk.names(folder):
                spot = Spot(folder.root, (*folder.parts, entry.name))
                if spot in empty:
                    continue
                if not is_junk(entry.name) or not entry.is_file(follow_symlinks=False):
                    return None
                junk[spot] = self._operation(spot)
            return junk
        return None

    def _operation(self, spot: Spot) -> Operation:
        name = shortened(f"{temporary_name()}-{spot.name}", "")
        seen = self._disk.look(spot)
        if seen is None:
            raise AppError(404, "not_found", path=spot.name)
        size, mtime_ns, inode = identity(seen)
        return Operation(
            run=self._run,
            job_id=self._job_id,
            role="junk",
            action="move",
            source=spot.path,
            target=Spot(spot.root, (JUNK_FOLDER, name)).path,
            size=size,
            mtime_ns=mtime_ns,
            inode=inode,
            executed_at=now_ms(),
        )

    def _put_away(self, spot: Spot, operation: Operation) -> None:
        target = Spot(spot.root, (JUNK_FOLDER, operation.target.rpartition("/")[2]))
        try:
            self._disk.make_folders(target.parent)
            self._disk.rename(spot, target)
            operation.state = "done"
        except (AppError, OSError):
            # Junk that cannot be moved stays, and so does its folder.
            operation.state = "failed"
        self._journal.result(operation)


def _depth(folder: Spot) -> int:
    return len(folder.parts)
