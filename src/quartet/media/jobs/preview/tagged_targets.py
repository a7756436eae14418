"""Names music and photos by their tags, all files of a job at once: an album has one folder, and
photos of the same second are numbered.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from quartet.kernel.db import Database
from quartet.media.jobs import store_items
from quartet.media.jobs.preview.item_state import Exists, set_target, update_state
from quartet.media.jobs.preview.target_layout import TargetLayout
from quartet.media.jobs.progress import save_items
from quartet.media.jobs.records import ItemRecord, JobRecord
from quartet.media.match.types import Match, Reason
from quartet.media.naming.render import render
from quartet.media.probe.service import Prober
from quartet.media.roots.path_encoding import encode_path
from quartet.media.tagged.followers import is_cover
from quartet.media.tagged.music_tags import DISC_FOLDER
from quartet.media.tagged.photo_dates import facts_of_photo, taken_at
from quartet.media.tagged.service import Music
from quartet.media.tagged.types import TaggedFacts, TaggedFile, TakenAt
from quartet.media.types import TaggedKind

# Larger than any job.
_ALL = 10_000_000
_PROBES = 4
_COVER_CONFIDENCE = 0.95


class TaggedRenamer:
    def __init__(self, db: Database, prober: Prober, music: Music) -> None:
        self._db = db
        self._prober = prober
        self._music = music

    async def run(self, job: JobRecord, layout: TargetLayout, exists: Exists) -> None:
        every = await self._db.read(store_items.chunk, job.id, 0, _ALL)
        items = [item for item in every if item.state != "done"]
        kind: TaggedKind = job.config.tagged or "photos"
        covers = [one for one in items if kind == "music" and is_cover(one.name)]
        tagged = [one for one in items if kind != "music" or not is_cover(one.name)]
        files = await self._files(tagged)
        if kind == "music":
            facts = await self._music.facts(files)
            paths = [_path(layout, kind, one) for one in facts]
        else:
            facts, paths = await asyncio.to_thread(_name_photos, layout, files)

        def work() -> None:
            for item, one, path in zip(tagged, facts, paths, strict=True):
                _set(item, layout, exists, path, one.confidence, one.reasons)
            folders = _album_folders(tagged)
            for item in covers:
                _set_cover(item, layout, exists, folders.get(item.folder))

        await asyncio.to_thread(work)
        await self._db.write(save_items, job.id, items)

    async def _files(self, items: Sequence[ItemRecord]) -> list[TaggedFile]:
        slots = asyncio.Semaphore(_PROBES)

        async def one(item: ItemRecord) -> TaggedFile:
            async with slots:
                probed = await self._prober.probe(Path(item.source))
            return TaggedFile(
                path=encode_path(item.source),
                modified_ns=item.mtime_ns,
                tags=probed.tags if probed else {},
                duration=probed.duration if probed else None,
            )

        return list(await asyncio.gather(*(one(item) for item in items)))


def _path(layout: TargetLayout, kind: TaggedKind, one: TaggedFacts) -> str | None:
    return render(layout.templates[kind], one.facts) if one.facts else None


def _name_photos(
    layout: TargetLayout, files: Sequence[TaggedFile]
) -> tuple[list[TaggedFacts], list[str | None]]:
    """Number photos that would get the same name; the files of one photo share their number."""
    times = [taken_at(file) for file in files]
    facts = [facts_of_photo(file, time) for file, time in zip(files, times, strict=True)]
    stems = [(_path(layout, "photos", one) or "").rpartition(".")[0] for one in facts]
    numbers = _numbers(files, times, stems)
    for index, number in enumerate(numbers):
        if number > 1:
            facts[index] = facts_of_photo(files[index], times[index], number)
    return facts, [_path(layout, "photos", one) for one in facts]


def _numbers(
    files: Sequence[TaggedFile], times: Sequence[TakenAt], stems: Sequence[str]
) -> list[int]:
    numbers = [1] * len(files)
    photos: dict[str, dict[tuple[str, str], int]] = {}
    for index in sorted(range(len(files)), key=lambda at: (times[at].time, times[at].order)):
        # A RAW photo and its JPEG differ only in the extension.
        photo = files[index].folder, files[index].stem
        same = photos.setdefault(stems[index], {})
        numbers[index] = same.setdefault(photo, len(same) + 1)
    return numbers


def _set(
    item: ItemRecord,
    layout: TargetLayout,
    exists: Exists,
    path: str | None,
    confidence: float,
    reasons: tuple[Reason, ...],
) -> None:
    item.match = Match(confidence=confidence, reasons=reasons)
    item.confidence = confidence
    base = layout.base(item)
    named = path.rpartition("/")[2] if path and layout.config.in_place else path
    set_target(item, layout, f"{base}/{named}" if base and named else None)
    update_state(item, layout, exists)
    if named and base is None and not item.excluded:
        item.reasons.append("no_library")


def _album_folders(items: Sequence[ItemRecord]) -> dict[str, str]:
    """Return where most tracks of each folder go; the folder of an album, not of its discs."""
    counted: dict[str, Counter[str]] = {}
    for item in items:
        if item.target:
            target = _album_folder(item.target.rpartition("/")[0])
            for folder in {item.folder, _album_folder(item.folder)}:
                counted.setdefault(folder, Counter())[target] += 1
    return {folder: count.most_common(1)[0][0] for folder, count in counted.items()}


def _album_folder(folder: str) -> str:
    above, _, last = folder.rpartition("/")
    return above if DISC_FOLDER.fullmatch(last) else folder


def _set_cover(item: ItemRecord, layout: TargetLayout, exists: Exists, folder: str | None) -> None:
    item.match = Match(confidence=_COVER_CONFIDENCE if folder else 0.0, reasons=("cover",))
    item.confidence = item.match.confidence
    extension = item.name.rpartition(".")[2].lower()
    set_target(item, layout, f"{folder}/cover.{extension}" if folder else None)
    update_state(item, layout, exists)
