import asyncio
import logging
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import TypeVar

from quartet.downloads.archives import (
    ArchiveSet,
    Extracted,
    ExtractionLimits,
    extract,
    find_sets,
    ordered_passwords,
    require_all_parts,
    sweep,
)
from quartet.downloads.archives.types import Parts
from quartet.downloads.captchas.service import Captchas
from quartet.downloads.events import Changed
from quartet.downloads.extraction import store
from quartet.downloads.extraction.completion import ExtractionCompletion
from quartet.downloads.extraction.current import CurrentExtraction
from quartet.downloads.extraction.package_archives import (
    first_path,
    owner_of,
    plan_for,
    set_of,
    sets_in,
)
from quartet.downloads.extraction.questions import PasswordQuestions
from quartet.downloads.extraction.types import ExtractionSettings, PackageToExtract
from quartet.downloads.options.store import passwords as password_list
from quartet.downloads.queue.finish.done_folder import DoneFolder
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.signal import Signal
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.kernel.files.paths import to_parts
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.downloads.extraction")

T = TypeVar("T")

# The delay before an archive whose volumes are still being downloaded is checked again.
WAITING_SECONDS = 2.0
# How often to check whether the extraction is still wanted.
WANTED_SECONDS = 1.0


# Archives inside archives are extracted down to this depth.
NESTED_DEPTH = 3


class Extraction:
    """Extracts one archive at a time; the queue of archives is in the database."""

    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        done: DoneFolder,
        current: CurrentExtraction,
        captchas: Captchas,
    ) -> None:
        self._db = kernel.db
        self._events = kernel.events
        self._done = done
        self._completion = ExtractionCompletion(kernel.db, done)
        self._wake = Signal()
        self._waiting: set[int] = set()
        self.questions = PasswordQuestions(kernel.db, captchas, self._wake.set)
        self.current = current
        # Set when an extraction starts.
        self.started = Signal()

    def queue_package(self, tx: Tx, package_id: int) -> None:
        """Queue the archives of a package."""
        names = store.names_of(tx.conn, package_id)
        if find_sets(names) and store.queue_package(tx.conn, package_id):
            self._emit_changed(tx, package_id)

    async def queue_archives(self, archives: Collection[ArchiveSet]) -> None:
        def work(tx: Tx) -> None:
            store.queue_archives(tx.conn, [first_path(archive) for archive in archives])
            self._emit_changed(tx)

        await self._db.write(work)

    async def sets_in(self, folder: Parts) -> list[ArchiveSet]:
        """Return the archives in a folder of the done folder."""
        pieces = await self._db.read(store.pieces_in, "/".join(folder))
        return await asyncio.to_thread(lambda: sets_in(self._done.root, folder, pieces))

    async def recover(self) -> None:
        """Clean up after a killed process and restart its extractions."""
        # In this order, so that a crash in between does not lose the folders to sweep.
        for folder in {to_parts(path)[:-1] for path in await self._db.read(store.running)}:
            await asyncio.to_thread(self._sweep, folder)
        await self._db.write(lambda tx: store.requeue_running(tx.conn))
        await self._completion.finish_deletions()

    def wake(self) -> None:
        """Look for work now; may be called from any thread."""
        self._wake.set()

    async def wait(self) -> None:
        """Wait until there may be something to do."""
        await self._wake.wait(WAITING_SECONDS if self._waiting else None)
        self._waiting.clear()

    async def step(self) -> bool:
        """Extract one archive or finish one package; return False if there is nothing to do."""
        path = await self._db.read(store.next_archive, self.questions.paths)
        if path is not None:
            await self._extract_chosen(path)
            return True
        wanted = await self._db.read(store.next_package, self._waiting | self.questions.packages)
        if wanted is not None:
            await self._next_of(wanted)
        return wanted is not None

    async def _extract_chosen(self, path: str) -> None:
        pieces = await self._db.read(store.pieces_in, path.rpartition("/")[0])
        async with self.current.edits:
            try:
                archive = await asyncio.to_thread(lambda: set_of(self._done.root, path, pieces))
            except AppError as error:
                await self._completion.failed(path, problem_of(error))
                return
            owner = owner_of(archive, pieces)
            # A volume that arrived in the meantime may now be the first one.
            await self._db.write(lambda tx: store.begin_picked(tx.conn, path, first_path(archive)))
            self._mark_started(archive, owner)
        await self._extract_archive(archive, owner)

    async def _next_of(self, wanted: PackageToExtract) -> None:
        async with self.current.edits:
            plan = await asyncio.to_thread(lambda: plan_for(self._done.root, wanted))
            if plan.ready and not await self._begin(plan.ready[0], wanted.id):
                return
        if plan.ready:
            await self._extract_archive(plan.ready[0], wanted.id)
        elif plan.waits:
            self._waiting.add(wanted.id)
            if wanted.running:
                await self._completion.mark_waiting(wanted.id)
        else:
            await self._completion.finish_package(wanted.id, list(plan.failed.values()))

    async def _begin(self, archive: ArchiveSet, package_id: int) -> bool:
        """Mark the archive as running; return False if the package was deleted."""

        def work(tx: Tx) -> bool:
            if not store.set_package(tx.conn, package_id, "running"):
                return False
            store.begin(tx.conn, first_path(archive), package_id)
            return True

        if not await self._db.write(work):
            return False
        self._mark_started(archive, package_id)
        return True

    def _mark_started(self, archive: ArchiveSet, owner: int | None) -> None:
        log.debug(
            "extraction of %s started: %d volumes (package %s)",
            first_path(archive),
            len(archive.parts),
            owner or "none",
        )
        self.current.start(archive, owner)
        self.started.set()
        if owner is not None:
            self._events.publish(Changed("downloads", packages=[owner]))
        self._events.publish(Changed("files"))

    async def _extract_archive(self, archive: ArchiveSet, owner: int | None) -> None:
        path, stop = first_path(archive), threading.Event()
        watching = asyncio.create_task(self._stop_when_unwanted(path, stop))
        try:
            passwords = await self._passwords(archive, owner)
            log.debug("extraction of %s: %d passwords to try", path, len(passwords))
            settings = await self._db.read(store.settings_for, owner)
            extracted = await run_stoppable(
                lambda: self._extract(archive, passwords, settings, stop), stop
            )
            await self._completion.extracted(archive, owner, extracted)
            self.questions.settled(path)
        # One bad archive must not stop the others.
        except Exception as error:  # noqa: BLE001 - stored as the error of the archive
            await self._failed(archive, error)
        finally:
            watching.cancel()
            self.current.end()

    async def _failed(self, archive: ArchiveSet, error: Exception) -> None:
        path, problem = first_path(archive), _extraction_problem(error)
        if problem.code == "wrong_password" and await self.questions.ask(
            path, archive.first, problem
        ):
            return
        if not isinstance(error, AppError):
            log.exception("extraction of %s failed", path, exc_info=error)
        self.questions.settled(path)
        await self._completion.failed(path, problem)

    def _extract(
        self,
        archive: ArchiveSet,
        passwords: Sequence[str],
        settings: ExtractionSettings,
        stop: threading.Event,
    ) -> Extracted:
        root = self._done.root
        require_all_parts(root, archive)
        return extract(
            root,
            archive,
            archive.folder,
            passwords,
            ExtractionLimits(depth=NESTED_DEPTH if settings.nested else 0),
            progress=self.current.advance,
            cancelled=stop.is_set,
            remove_inner=settings.delete_archives,
        )

    async def _stop_when_unwanted(self, path: str, stop: threading.Event) -> None:
        """Stop the extraction if its package is deleted."""
        while await self._db.read(store.is_wanted, path):  # noqa: ASYNC110 - only the database knows
            await asyncio.sleep(WANTED_SECONDS)
        stop.set()

    async def _passwords(self, archive: ArchiveSet, owner: int | None) -> list[str]:
        of_package = await self._db.read(store.passwords, owner)
        of_package = [*self.questions.answer(first_path(archive)), *of_package]
        return ordered_passwords(of_package, archive.stem, await self._db.read(password_list))

    def _sweep(self, folder: Parts) -> None:
        # The folder may have been removed by the user.
        with suppress(AppError):
            sweep(self._done.root, folder)

    def _emit_changed(self, tx: Tx, package_id: int | None = None) -> None:
        if package_id is not None:
            tx.emit(Changed("downloads", packages=[package_id]))
        tx.emit(Changed("files"))
        tx.after_commit(self._wake.set)


def _extraction_problem(error: Exception) -> Problem:
    problem = problem_of(error)
    if problem.code in ("no_space", "disk_full"):
        return Problem("server_extract_noSpace", problem.inputs)
    return problem


async def run_stoppable(work: Callable[[], T], stop: threading.Event) -> T:
    """Run in a thread; if the caller is cancelled, stop the thread and wait for it."""
    task = asyncio.create_task(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.gather(task, return_exceptions=True)
        raise
