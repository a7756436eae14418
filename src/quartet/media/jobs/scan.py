"""Finds what a job is about. Reads the disk and changes nothing; blocks."""

import logging
from collections.abc import Iterator, Sequence

from quartet.kernel.errors import AppError
from quartet.kernel.files import Entry
from quartet.media.jobs.rows import ItemRow
from quartet.media.jobs.siblings import Siblings
from quartet.media.jobs.types import JobCompanion, JobConfig
from quartet.media.jobs.unwanted import is_growing, is_hidden, is_partial, is_passed_by
from quartet.media.moves.types import Cancelled
from quartet.media.names.parse import parse
from quartet.media.names.types import Parsed
from quartet.media.roots.allowed import is_within
from quartet.media.roots.kinds import SUBTITLE_FOLDERS, file_kind
from quartet.media.roots.places import Places, Spot, outside
from quartet.media.roots.texts import path_of, path_text

log = logging.getLogger("quartet.media.jobs")

DEEPEST = 20
# In the folder of a disc; what lies below is nobody's to take apart.
DISC_FOLDERS = frozenset({"VIDEO_TS", "BDMV", "HVDVD_TS"})
# How many of the folders around a file may say something about it.
_CONTEXT = 4


class Scan:
    """For one job; each file is found once, however often it was named."""

    def __init__(
        self,
        places: Places,
        config: JobConfig,
        job_id: int,
        known: set[str],
        stop: Cancelled,
        kept: frozenset[str] = frozenset(),
    ) -> None:
        self._places = places
        self._config = config
        self._job_id = job_id
        self._stop = stop
        self._seen = known
        self._kept = places.paths | kept
        self._listed: tuple[Spot, tuple[Entry, ...]] | None = None

    def items(self, paths: Sequence[str]) -> Iterator[ItemRow]:
        for text in paths:
            spot = self._places.spot(path_of(text))
            self._places.require_present(spot.root)
            for item in self._at(spot):
                if self._stop():
                    return
                if item.source not in self._seen:
                    self._seen.add(item.source)
                    yield item

    def _at(self, spot: Spot) -> Iterator[ItemRow]:
        if not spot.parts:
            yield from self._folder(spot, 0)
            return
        entry = Entry(spot.name, spot.root.stat(spot.parts))
        if entry.is_folder:
            yield from self._folder(spot, 0)
            if self._renames(spot):
                yield self._item(spot, entry)
        elif entry.is_file:
            yield from self._files(spot.parent, self._list(spot.parent), [entry])
        else:
            raise AppError(400, "not_a_file", path=path_text(spot.path))

    def _folder(self, folder: Spot, depth: int) -> Iterator[ItemRow]:
        try:
            entries = self._list(folder)
        except AppError as error:
            # The given folder must be there; what lies in it may be closed to us.
            if depth == 0:
                raise
            log.warning("not looked into: %s", error)
            return
        if folder.parts and self._config.mode != "rules" and is_disc(entries):
            yield self._disc(folder)
            return
        yield from self._files(folder, entries, [one for one in entries if one.is_file])
        for entry in entries:
            if not entry.is_folder or is_passed_by(entry.name):
                continue
            inner = Spot(folder.root, (*folder.parts, entry.name))
            if self._config.recursive and depth < DEEPEST:
                yield from self._folder(inner, depth + 1)
            if self._renames(inner):
                yield self._item(inner, entry)

    def _renames(self, folder: Spot) -> bool:
        """Not what is configured or watched: nobody would find that again."""
        wanted = self._config.mode == "rules" and self._config.folders
        return wanted and not any(is_within(one, folder.path) for one in self._kept)

    def _files(
        self, folder: Spot, entries: Sequence[Entry], wanted: Sequence[Entry]
    ) -> Iterator[ItemRow]:
        names = {entry.name for entry in entries}
        wanted = [one for one in wanted if not is_hidden(one.name)]
        if self._config.mode == "rules":
            for entry in wanted:
                if not is_partial(entry.name):
                    yield self._item(Spot(folder.root, (*folder.parts, entry.name)), entry)
            return
        videos = [one for one in wanted if file_kind(one.name) == "video"]
        if not videos:
            return
        files = [one.name for one in entries if one.is_file]
        siblings = Siblings(files, list(self._in_subtitle_folders(folder, entries)))
        for entry in videos:
            if not is_growing(entry.name, names):
                spot = Spot(folder.root, (*folder.parts, entry.name))
                parsed = parsed_at(spot)
                if not parsed.sample:
                    yield self._video(spot, entry, parsed, siblings)

    def _in_subtitle_folders(self, folder: Spot, entries: Sequence[Entry]) -> Iterator[str]:
        """Relative to the folder, from `Subs/` and the folders in it."""
        for entry in entries:
            if entry.is_folder and entry.name.casefold() in SUBTITLE_FOLDERS:
                yield from self._below(folder, (entry.name,), deeper=True)

    def _below(self, folder: Spot, inner: tuple[str, ...], *, deeper: bool) -> Iterator[str]:
        try:
            found = folder.root.list((*folder.parts, *inner))
        except AppError:
            return
        for entry in found:
            if entry.is_file:
                yield "/".join((*inner, entry.name))
            elif entry.is_folder and deeper:
                yield from self._below(folder, (*inner, entry.name), deeper=False)

    def _video(self, spot: Spot, entry: Entry, parsed: Parsed, siblings: Siblings) -> ItemRow:
        item = self._item(spot, entry)
        item.parsed = parsed
        item.companions = [
            JobCompanion(path_text(f"{spot.parent.path}/{one.source}"), path_text(one.tail))
            for one in siblings.of(spot.name)
        ]
        return item

    def _disc(self, folder: Spot) -> ItemRow:
        """The folder of a DVD or Blu-ray is one film, whatever lies in it."""
        item = self._item(folder, Entry(folder.name, folder.root.stat(folder.parts)))
        item.parsed = parsed_at(folder)
        return item

    def _item(self, spot: Spot, entry: Entry) -> ItemRow:
        if not spot.parts:
            raise outside(spot.path)
        return ItemRow(
            job_id=self._job_id,
            source=spot.path,
            is_folder=entry.is_folder,
            size=0 if entry.is_folder else entry.stat.st_size,
            mtime_ns=entry.stat.st_mtime_ns,
        )

    def _list(self, folder: Spot) -> tuple[Entry, ...]:
        """Kept for the next path, which often lies in the same folder."""
        if self._listed is None or self._listed[0] != folder:
            self._listed = folder, folder.root.list(folder.parts)
        return self._listed[1]


def is_disc(entries: Sequence[Entry]) -> bool:
    return any(entry.is_folder and entry.name.upper() in DISC_FOLDERS for entry in entries)


def parsed_at(spot: Spot) -> Parsed:
    around = [path_text(part) for part in spot.parts[:-1][-_CONTEXT:]]
    return parse(path_text(spot.name), around)
