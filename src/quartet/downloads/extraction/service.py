import asyncio
import logging
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress

from quartet.downloads.archives import (
    ArchiveSet,
    Extracted,
    extract,
    find_sets,
    ordered,
    require_all_parts,
    sweep,
)
from quartet.downloads.archives.types import Parts
from quartet.downloads.captchas.service import Captchas
from quartet.downloads.events import Changed
from quartet.downloads.extraction import store
from quartet.downloads.extraction.ending import Ending
from quartet.downloads.extraction.questions import PasswordQuestions
from quartet.downloads.extraction.running import Running
from quartet.downloads.extraction.sets import (
    first_path,
    owner_of,
    plan_for,
    set_of,
    sets_in,
)
from quartet.downloads.extraction.thread import stoppable
from quartet.downloads.extraction.types import Wanted
from quartet.downloads.options.store import passwords as password_list
from quartet.downloads.queue.finishing import DoneFolder
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.signal import Signal
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError, problem_of
from quartet.kernel.files.paths import to_parts
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.extraction")

# An archive whose parts are still on their way is looked at again after this time.
WAITING_SECONDS = 2.0
# Whether somebody still wants what is being unpacked is asked this often.
WANTED_SECONDS = 1.0


class Extraction:
    """Unpacks one archive at a time; what is to be done stands in the database."""

    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        done: DoneFolder,
        running: Running,
        captchas: Captchas,
    ) -> None:
        self._db = kernel.db
        self._events = kernel.events
        self._done = done
        self._ending = Ending(kernel.db, done)
        self._wake = Signal()
        self._waiting: set[int] = set()
        self.questions = PasswordQuestions(kernel.db, captchas, self._wake.set)
        self.running = running
        # Set when an archive begins.
        self.began = Signal()

    def package(self, tx: Tx, package_id: int) -> None:
        """Its archives are unpacked as soon as it is their turn."""
        names = store.names_of(tx.conn, package_id)
        if find_sets(names) and store.want_package(tx.conn, package_id):
            self._tell(tx)

    async def ask(self, archives: Collection[ArchiveSet]) -> None:
        def work(tx: Tx) -> None:
            store.ask(tx.conn, [first_path(archive) for archive in archives])
            self._tell(tx)

        await self._db.write(work)

    async def sets_in(self, folder: Parts) -> list[ArchiveSet]:
        """The archives of one folder of the done folder."""
        pieces = await self._db.read(store.pieces_in, "/".join(folder))
        return await asyncio.to_thread(lambda: sets_in(self._done.root, folder, pieces))

    async def recover(self) -> None:
        """What a killed process left is removed, and what it was doing is done again."""
        # In this order: killed between the two, the next start still knows where to sweep.
        for folder in {to_parts(path)[:-1] for path in await self._db.read(store.running)}:
            await asyncio.to_thread(self._sweep, folder)
        await self._db.write(lambda tx: store.begin_again(tx.conn))
        await self._ending.go_on()

    async def rest(self) -> None:
        """Until there may be something to do."""
        await self._wake.wait(WAITING_SECONDS if self._waiting else None)
        self._waiting.clear()

    async def step(self) -> bool:
        """Unpacks one archive, or settles one package; False when there is nothing to do."""
        path = await self._db.read(store.next_asked, self.questions.paths)
        if path is not None:
            await self._picked(path)
            return True
        wanted = await self._db.read(store.next_package, self._waiting | self.questions.packages)
        if wanted is not None:
            await self._next_of(wanted)
        return wanted is not None

    async def _picked(self, path: str) -> None:
        pieces = await self._db.read(store.pieces_in, path.rpartition("/")[0])
        async with self.running.edits:
            try:
                archive = await asyncio.to_thread(lambda: set_of(self._done.root, path, pieces))
            except AppError as error:
                await self._ending.failed(path, problem_of(error))
                return
            owner = owner_of(archive, pieces)
            # With a part that came since, the archive may begin with another one.
            await self._db.write(lambda tx: store.begin_picked(tx.conn, path, first_path(archive)))
            self._begun(archive, owner)
        await self._unpack(archive, owner)

    async def _next_of(self, wanted: Wanted) -> None:
        async with self.running.edits:
            plan = await asyncio.to_thread(lambda: plan_for(self._done.root, wanted))
            if plan.ready and not await self._begin(plan.ready[0], wanted.id):
                return
        if plan.ready:
            await self._unpack(plan.ready[0], wanted.id)
        elif plan.waits:
            self._waiting.add(wanted.id)
            if wanted.running:
                await self._ending.waits(wanted.id)
        else:
            await self._ending.package(wanted.id, list(plan.failed.values()))

    async def _begin(self, archive: ArchiveSet, package_id: int) -> bool:
        """False when the package was deleted meanwhile."""

        def work(tx: Tx) -> bool:
            if not store.set_package(tx.conn, package_id, "running"):
                return False
            store.begin(tx.conn, first_path(archive), package_id)
            return True

        if not await self._db.write(work):
            return False
        self._begun(archive, package_id)
        return True

    def _begun(self, archive: ArchiveSet, owner: int | None) -> None:
        self.running.begin(archive, owner)
        self.began.set()
        self._events.publish(Changed("downloads"))
        self._events.publish(Changed("files"))

    async def _unpack(self, archive: ArchiveSet, owner: int | None) -> None:
        path, stop = first_path(archive), threading.Event()
        watching = asyncio.create_task(self._stop_if_unwanted(path, stop))
        try:
            passwords = await self._passwords(archive, owner)
            unpacked = await stoppable(lambda: self._extract(archive, passwords, stop), stop)
            await self._ending.unpacked(archive, owner, unpacked.password_used)
            self.questions.settled(path)
        # One bad archive must not stop the others.
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            await self._failed(archive, error)
        finally:
            watching.cancel()
            self.running.end()

    async def _failed(self, archive: ArchiveSet, error: Exception) -> None:
        path, problem = first_path(archive), problem_of(error)
        if problem.code == "wrong_password" and await self.questions.ask(
            path, archive.first, problem
        ):
            return
        if not isinstance(error, AppError):
            log.exception("%s could not be unpacked", path, exc_info=error)
        self.questions.settled(path)
        await self._ending.failed(path, problem)

    def _extract(
        self, archive: ArchiveSet, passwords: Sequence[str], stop: threading.Event
    ) -> Extracted:
        root = self._done.root
        require_all_parts(root, archive)
        return extract(
            root,
            archive,
            archive.folder,
            passwords,
            progress=self.running.advance,
            cancelled=stop.is_set,
        )

    async def _stop_if_unwanted(self, path: str, stop: threading.Event) -> None:
        """Its package may be deleted meanwhile."""
        while await self._db.read(store.is_wanted, path):  # noqa: ASYNC110 - only the list knows
            await asyncio.sleep(WANTED_SECONDS)
        stop.set()

    async def _passwords(self, archive: ArchiveSet, owner: int | None) -> list[str]:
        of_package = await self._db.read(store.passwords, owner)
        of_package = [*self.questions.answer(first_path(archive)), *of_package]
        return ordered(of_package, archive.stem, await self._db.read(password_list))

    def _sweep(self, folder: Parts) -> None:
        # The folder may have been removed by hand since.
        with suppress(AppError):
            sweep(self._done.root, folder)

    def _tell(self, tx: Tx) -> None:
        tx.emit(Changed("downloads"))
        tx.emit(Changed("files"))
        tx.after_commit(self._wake.set)
