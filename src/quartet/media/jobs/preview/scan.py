"""Finds the files of a job. Reads the disk only; blocks."""

import logging
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError
from quartet.kernel.files import Entry
from quartet.media.jobs.preview.companion_finder import CompanionFinder
from quartet.media.jobs.preview.ignored_names import (
    is_hidden,
    is_ignored_folder,
    is_incomplete,
    is_partial,
)
from quartet.media.jobs.preview.late_subtitles import MovedFiles, late_subtitles
from quartet.media.jobs.preview.parsed_videos import is_disc, parse_path, parse_videos
from quartet.media.jobs.records import ItemRecord
from quartet.media.jobs.types import JobCompanion, JobConfig
from quartet.media.match.types import Match
from quartet.media.moves.junk_names import LARGEST_SAMPLE
from quartet.media.moves.types import IsCancelled
from quartet.media.names.types import Parsed
from quartet.media.options.types import ExtrasPolicy
from quartet.media.roots.allowed_folders import is_within
from quartet.media.roots.file_kinds import SUBTITLE_FOLDERS, file_kind
from quartet.media.roots.folder_access import FolderAccess, RootedPath, outside_error
from quartet.media.roots.path_encoding import decode_path, encode_path

if TYPE_CHECKING:
    from quartet.media.jobs.preview.main_feature import Video

log = logging.getLogger("quartet.media.jobs")

MAX_DEPTH = 20


class Scan:
    """The scan of one job. Each file is returned once, even if several paths contain it."""

    def __init__(
        self,
        access: FolderAccess,
        config: JobConfig,
        job_id: int,
        known: set[str],
        stop: IsCancelled,
        kept: frozenset[str] = frozenset(),
        extras: ExtrasPolicy = "file",
        moved: MovedFiles = lambda _sources: {},
    ) -> None:
        self._access = access
        self._config = config
        self._job_id = job_id
        self._stop = stop
        self._extras = extras
        self._moved = moved
        self._seen = known
        self._kept = access.paths | kept
        self._listed: tuple[RootedPath, tuple[Entry, ...]] | None = None
        self._neighbours: tuple[Sequence[Entry], tuple[frozenset[str], CompanionFinder]] | None = (
            None
        )

    def items(self, paths: Sequence[str]) -> Iterator[ItemRecord]:
        for text in paths:
            location = self._access.resolve(decode_path(text))
            self._access.require_present(location.root)
            for item in self._at(location):
                if self._stop():
                    return
                if item.source not in self._seen:
                    self._seen.add(item.source)
                    yield item

    def _at(self, location: RootedPath) -> Iterator[ItemRecord]:
        if not location.parts:
            yield from self._folder(location, 0)
            return
        entry = Entry(location.name, location.root.stat(location.parts))
        if entry.is_folder:
            yield from self._folder(location, 0)
            if self._is_renamed(location):
                yield self._item(location, entry)
        elif entry.is_file:
            yield from self._files(location.parent, self._list(location.parent), [entry])
        else:
            raise AppError(400, "not_a_file", path=encode_path(location.path))

    def _folder(
        self, folder: RootedPath, depth: int, above: "Video | None" = None
    ) -> Iterator[ItemRecord]:
        """Yield what is in a folder; `above` is the movie of a folder that contains it."""
        try:
            entries = self._list(folder)
        except AppError as error:
            # The given folder must be readable; folders below it may not be.
            if depth == 0:
                raise
            log.warning("job %d: folder skipped: %s", self._job_id, error)
            return
        if folder.parts and self._config.mode in ("media", "both") and is_disc(entries):
            yield self._disc(folder)
            return
        files = [one for one in entries if one.is_file]
        main = yield from self._files(folder, entries, files, above)
        for entry in entries:
            if not entry.is_folder or is_ignored_folder(entry.name):
                continue
            inner = RootedPath(folder.root, (*folder.parts, entry.name))
            if self._config.recursive and depth < MAX_DEPTH:
                yield from self._folder(inner, depth + 1, main)
            if self._is_renamed(inner):
                yield self._item(inner, entry)

    def _is_renamed(self, folder: RootedPath) -> bool:
        """Never rename configured or watched folders: their settings would point nowhere."""
        wanted = self._config.mode == "rules" and self._config.folders
        return wanted and not any(is_within(one, folder.path) for one in self._kept)

    def _files(
        self,
        folder: RootedPath,
        entries: Sequence[Entry],
        wanted: Sequence[Entry],
        above: "Video | None" = None,
    ) -> "Generator[ItemRecord, None, Video | None]":
        """Yield the wanted files; return the movie to which extras in subfolders belong."""
        wanted = [one for one in wanted if not is_hidden(one.name)]
        if self._config.mode == "rules":
            for entry in wanted:
                if not is_partial(entry.name):
                    yield self._item(RootedPath(folder.root, (*folder.parts, entry.name)), entry)
            return None
        if self._config.tagged:
            yield from self._tagged(folder, entries, wanted)
            return None
        videos = [one for one in wanted if file_kind(one.name) == "video"]
        if not videos:
            yield from self._late_subtitles(folder, wanted)
            return above
        names, companion_finder = self._neighbours_of(folder, entries)
        whole = [one for one in videos if not is_incomplete(one.name, names)]
        parsed_names, main = parse_videos(folder, whole, above)
        for entry, parsed in zip(whole, parsed_names, strict=True):
            # A large file is a movie, such as `The Sample (2019).mkv`.
            sample = parsed.sample and entry.stat.st_size <= LARGEST_SAMPLE
            if sample or (parsed.extra and self._extras == "skip"):
                continue
            location = RootedPath(folder.root, (*folder.parts, entry.name))
            yield self._video(location, entry, parsed, companion_finder)
        owned = {one.source for video in videos for one in companion_finder.of(video.name)}
        left = [one for one in wanted if one.name not in owned]
        yield from self._late_subtitles(folder, left)
        return main

    def _late_subtitles(self, folder: RootedPath, wanted: Sequence[Entry]) -> Iterator[ItemRecord]:
        """Yield subtitles whose video an earlier job moved, as long as it is still there."""
        entries = {entry.name: entry for entry in wanted}
        for one in late_subtitles(folder.path, list(entries), self._moved):
            # In a folder such as `Subs`, it belongs to a video that is still next to it.
            apart = one.source.rpartition("/")[0] != folder.path
            if self._exists(one.video) and not (apart and self._exists(one.source)):
                location = RootedPath(folder.root, (*folder.parts, one.name))
                item = self._item(location, entries[one.name])
                item.override_target = one.target
                item.match = Match(confidence=1.0, reasons=("follows_video",))
                item.confidence = 1.0
                yield item

    def _exists(self, path: str) -> bool:
        location = self._access.resolve(path)
        return location.root.exists(location.parts)

    def _tagged(
        self, folder: RootedPath, entries: Sequence[Entry], wanted: Sequence[Entry]
    ) -> Iterator[ItemRecord]:
        """Yield music or photos, with the files that follow them."""
        # Imported here because only jobs for music and photos need it.
        from quartet.media.tagged.followers import is_tagged_file, lyrics_of, sidecars_of

        kind, names = self._config.tagged, [one.name for one in entries if one.is_file]
        followers = sidecars_of(names) if kind == "photos" else lyrics_of(names)
        owned = {one.source for some in followers.values() for one in some}
        for entry in wanted:
            if not is_tagged_file(kind, entry.name) or entry.name in owned:
                continue
            if is_incomplete(entry.name, names):
                continue
            item = self._item(RootedPath(folder.root, (*folder.parts, entry.name)), entry)
            item.companions = [
                JobCompanion(encode_path(f"{folder.path}/{one.source}"), encode_path(one.tail))
                for one in followers.get(entry.name, ())
            ]
            yield item

    def _neighbours_of(
        self, folder: RootedPath, entries: Sequence[Entry]
    ) -> tuple[frozenset[str], CompanionFinder]:
        """Return all names in a folder, and its companion files.

        The last ones are kept, because many paths may be files of the same folder.
        """
        if self._neighbours is None or self._neighbours[0] is not entries:
            names = frozenset(entry.name for entry in entries)
            files = [one.name for one in entries if one.is_file]
            in_subfolders = list(self._subtitle_folder_files(folder, entries))
            self._neighbours = entries, (names, CompanionFinder(files, in_subfolders))
        return self._neighbours[1]

    def _subtitle_folder_files(self, folder: RootedPath, entries: Sequence[Entry]) -> Iterator[str]:
        """Return the files in `Subs/` and its subfolders, relative to the folder."""
        for entry in entries:
            if entry.is_folder and entry.name.casefold() in SUBTITLE_FOLDERS:
                yield from self._below(folder, (entry.name,), deeper=True)

    def _below(self, folder: RootedPath, inner: tuple[str, ...], *, deeper: bool) -> Iterator[str]:
        try:
            found = folder.root.list((*folder.parts, *inner))
        except AppError:
            return
        for entry in found:
            if entry.is_file:
                yield "/".join((*inner, entry.name))
            elif entry.is_folder and deeper:
                yield from self._below(folder, (*inner, entry.name), deeper=False)

    def _video(
        self, location: RootedPath, entry: Entry, parsed: Parsed, companion_finder: CompanionFinder
    ) -> ItemRecord:
        item = self._item(location, entry)
        item.parsed = parsed
        item.companions = [
            JobCompanion(encode_path(f"{location.parent.path}/{one.source}"), encode_path(one.tail))
            for one in companion_finder.of(location.name)
        ]
        return item

    def _disc(self, folder: RootedPath) -> ItemRecord:
        """Return the folder of a DVD or Blu-ray as one item."""
        item = self._item(folder, Entry(folder.name, folder.root.stat(folder.parts)))
        item.parsed = parse_path(folder)
        return item

    def _item(self, location: RootedPath, entry: Entry) -> ItemRecord:
        if not location.parts:
            raise outside_error(location.path)
        return ItemRecord(
            job_id=self._job_id,
            source=location.path,
            is_folder=entry.is_folder,
            size=0 if entry.is_folder else entry.stat.st_size,
            mtime_ns=entry.stat.st_mtime_ns,
        )

    def _list(self, folder: RootedPath) -> tuple[Entry, ...]:
        """List a folder.

        The last listing is kept, because the next path is often in the same folder.
        """
        if self._listed is None or self._listed[0] != folder:
            self._listed = folder, folder.root.list(folder.parts)
        return self._listed[1]
