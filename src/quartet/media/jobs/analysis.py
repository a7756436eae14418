"""From paths to a preview: scan, match, render, settle. Reads the disk and changes nothing."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.media.jobs import item_store, store
from quartet.media.jobs.board import Board, ThreadTeller, emit_status, save_items
from quartet.media.jobs.growing import grown
from quartet.media.jobs.layout import Layout, Layouts
from quartet.media.jobs.matchers import Matchers
from quartet.media.jobs.renaming import Renaming
from quartet.media.jobs.rows import ItemRow, JobRow
from quartet.media.jobs.scan import Scan
from quartet.media.jobs.settling import Exists, aim, mark_twins, settle
from quartet.media.jobs.types import JobStatus
from quartet.media.match.types import Match
from quartet.media.moves.types import Cancelled
from quartet.media.probe.service import Prober
from quartet.media.probe.types import Probed
from quartet.media.roots.places import Places
from quartet.media.roots.service import Folders

# Others who want to write wait for one piece at most.
_AT_ONCE = 250
_PROBES = 4

# Folders that stay what they are, for instance because they are watched.
KeptFolders = Callable[[], Awaitable[frozenset[str]]]


class Stopped(Exception):
    """Somebody cancelled the job."""


class Analysis:
    def __init__(
        self,
        db: Database,
        folders: Folders,
        layouts: Layouts,
        matchers: Matchers,
        prober: Prober,
        renaming: Renaming,
        board: Board,
        kept_folders: KeptFolders,
    ) -> None:
        self._db = db
        self._folders = folders
        self._layouts = layouts
        self._matchers = matchers
        self._prober = prober
        self._renaming = renaming
        self._board = board
        self._kept_folders = kept_folders
        # Jobs somebody asked for once more while they looked for their files; taken out when they
        # look again.
        self.again: set[int] = set()

    async def run(self, job: JobRow, stop: Cancelled) -> None:
        """Leaves every item with its state; what comes of the job is for others to say."""
        places = await self._folders.places()
        if job.begin == "scan":
            self.again.discard(job.id)
            await self._turn(job, "scanning")
            if job.kind == "hook":
                await grown(job, places, stop)
            await self._db.write(lambda tx: item_store.clear(tx.conn, job.id))
            await self._scan(job, places, stop)
        await self._turn(job, "matching")
        while job.id in self.again:
            # What was found stays: whoever asks meanwhile would think it new.
            self.again.discard(job.id)
            await self._turn(job, "scanning")
            await self._scan(job, places, stop)
            await self._turn(job, "matching")
        layout = await self._layouts.of(job.config)
        if job.config.mode != "rules":
            await self._match(job, layout, places, stop)
        if job.config.mode != "media":
            await self._renaming.run(job, layout, existing(places))
        await self._db.write(_settle_twins, job.id, layout)

    async def _scan(self, job: JobRow, places: Places, stop: Cancelled) -> None:
        teller, kept = self._board.teller(job), await self._kept_folders()
        await asyncio.to_thread(self._find, job, places, kept, teller, stop)
        if stop():
            raise Stopped

    def _find(
        self,
        job: JobRow,
        places: Places,
        kept: frozenset[str],
        teller: ThreadTeller,
        stop: Cancelled,
    ) -> None:
        """In a thread, a piece at a time: a job may have more files than fit in memory."""
        known = self._db.write_sync(lambda tx: item_store.sources(tx.conn, job.id))
        held = self._db.write_sync(lambda tx: item_store.held(tx.conn, job))
        found = Scan(places, job.config, job.id, known | held, stop, kept).items(job.paths)
        job.total = len(known)
        while some := list(islice(found, _AT_ONCE)):
            self._db.write_sync(lambda tx, some=some: item_store.add(tx.conn, some))  # type: ignore[misc]
            job.total += len(some)
            teller(0, job.total)

    async def _match(self, job: JobRow, layout: Layout, places: Places, stop: Cancelled) -> None:
        done, ask = 0, job.begin != "render"
        async for items in self._chunks(job.id):
            if stop():
                raise Stopped
            if ask:
                left = [item for item in items if item.state != "done"]
                await self._ask_catalogs(job, left, layout)
            await self.aim(items, layout, places)
            await self._db.write(save_items, job.id, items)
            done += len(items)
            self._board.tell(job, done, job.total)

    async def _ask_catalogs(self, job: JobRow, items: Sequence[ItemRow], layout: Layout) -> None:
        """A match chosen by hand stays."""
        asked = [one for one in items if not (one.match and "chosen" in one.match.reasons)]
        options, language = job.config.matching
        parsed = [item.parsed for item in asked if item.parsed]
        matches = await self._matchers.speaking(language).match(parsed, options)
        for item, match in zip((one for one in asked if one.parsed), matches, strict=True):
            take(item, match.suggested_from(layout.suggest_threshold))

    async def aim(self, items: Sequence[ItemRow], layout: Layout, places: Places) -> None:
        """Gives items their targets and states; twins are looked for by the caller."""
        probed = await self._probed([one for one in items if layout.wants_probe(one)])
        exists = existing(places)

        def work() -> None:
            for item in items:
                if item.state != "done":
                    aim(item, layout, layout.rendered(item, probed.get(item.id)))
                    settle(item, layout, exists)

        await asyncio.to_thread(work)

    async def _probed(self, items: Sequence[ItemRow]) -> dict[int, Probed]:
        slots = asyncio.Semaphore(_PROBES)

        async def one(item: ItemRow) -> tuple[int, Probed | None]:
            async with slots:
                return item.id, await self._prober.probe(Path(item.source))

        found = await asyncio.gather(*(one(item) for item in items))
        return {id: facts for id, facts in found if facts}

    async def _chunks(self, job_id: int) -> AsyncIterator[list[ItemRow]]:
        after = 0
        while items := await self._db.read(item_store.chunk, job_id, after, _AT_ONCE):
            yield items
            after = items[-1].id

    async def _turn(self, job: JobRow, status: JobStatus) -> None:
        self._board.forget(job.id)
        job.status, job.done = status, 0

        def work(tx: Tx) -> None:
            store.change(tx.conn, job.id, status=status, done=0, total=job.total)
            emit_status(tx, job)

        await self._db.write(work)


def take(item: ItemRow, match: Match) -> None:
    """What is needed to choose another one, without all the titles a catalog knows."""
    others = tuple(
        msgspec.structs.replace(
            other, candidate=msgspec.structs.replace(other.candidate, other_titles=())
        )
        for other in match.alternatives
    )
    best = match.best and msgspec.structs.replace(match.best, other_titles=())
    item.match = msgspec.structs.replace(match, best=best, alternatives=others)
    item.confidence = match.confidence
    if item.state != "done":
        item.state = "matched"


def existing(places: Places, leaving: frozenset[str] = frozenset()) -> Exists:
    """Blocks; what leaves in the same job does not count."""

    def exists(path: str) -> bool:
        if path in leaving:
            return False
        try:
            spot = places.spot(path)
            return spot.root.exists(spot.parts)
        except AppError:
            return False

    return exists


def _settle_twins(tx: Tx, job_id: int, layout: Layout) -> None:
    twins = item_store.twins(tx.conn, job_id, item_store.shared_keys(tx.conn, job_id))
    mark_twins(twins, layout)
    item_store.save(tx.conn, twins)
