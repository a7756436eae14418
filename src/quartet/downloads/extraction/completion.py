"""Stores the result of an extraction, and deletes the archive if configured."""

import asyncio
import logging
from collections.abc import Collection, Sequence
from contextlib import suppress

from quartet.downloads.archives import ArchiveSet, Extracted
from quartet.downloads.events import Changed
from quartet.downloads.extraction import store
from quartet.downloads.extraction.package_archives import files_of, first_path
from quartet.downloads.extraction.types import State
from quartet.downloads.options import store as options_store
from quartet.downloads.queue.finish.done_folder import DoneFolder
from quartet.downloads.queue.store import delete_download
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.files.paths import to_parts
from quartet.kernel.log import problem_text

log = logging.getLogger("quartet.downloads.extraction")

# The other skipped links are only counted.
_NAMED_LINKS = 3


class ExtractionCompletion:
    def __init__(self, db: Database, done: DoneFolder) -> None:
        self._db = db
        self._done = done

    async def failed(self, path: str, problem: Problem) -> None:
        def work(tx: Tx) -> None:
            store.set_state(tx.conn, path, "failed", error=problem)
            tx.emit(Changed("files"))

        await self._db.write(work)
        log.info("extraction of %s failed: %s", path, problem_text(problem))

    async def extracted(self, archive: ArchiveSet, owner: int | None, result: Extracted) -> None:
        """`owner` is the package of the archive, also if the user chose the archive."""
        path, files = first_path(archive), files_of(archive)
        password, notes = result.password_used, notes_of(archive, result)

        def work(tx: Tx) -> State | None:
            delete = options_store.options(tx.conn).delete_archives
            state: State = "clearing" if delete else "unpacked"
            if not store.set_state(tx.conn, path, state, files=files):
                return None
            if notes:
                store.add_notes(tx.conn, owner, notes)
            if password is not None:
                _learn_password(tx, password, worth_adding=password != archive.stem)
            return state

        state = await self._db.write(work)
        if state is not None:
            log.info("extraction of %s finished (package %s)", path, owner or "none")
            for note in notes:
                log.info("extraction of %s: %s", path, problem_text(note))
            await self._clear(path, files, owner, delete=state == "clearing")

    async def finish_deletions(self) -> None:
        """Finish the deletions that the previous process did not complete."""
        for left in await self._db.read(store.unpacked, "clearing"):
            await self._clear(left.path, left.files, left.package_id, delete=True)

    async def mark_waiting(self, package_id: int) -> None:
        def work(tx: Tx) -> None:
            store.set_package(tx.conn, package_id, "pending")
            tx.emit(Changed("downloads", packages=[package_id]))

        await self._db.write(work)

    async def finish_package(self, package_id: int, problems: Sequence[Problem]) -> None:
        """Store the final state of a package that has no archives left to extract."""

        def work(tx: Tx) -> Problem | None:
            errors = [*store.errors_of(tx.conn, package_id), *problems]
            if errors:
                store.set_package(tx.conn, package_id, "failed", errors[0])
            else:
                any_unpacked = store.unpacked(tx.conn, "unpacked", package_id)
                store.set_package(tx.conn, package_id, "done" if any_unpacked else None)
                store.delete_package_extractions(tx.conn, package_id)
            tx.emit(Changed("downloads", packages=[package_id]))
            tx.emit(Changed("files"))
            return errors[0] if errors else None

        problem = await self._db.write(work)
        result = problem_text(problem) if problem else "no errors"
        log.info("package %d extracted: %s", package_id, result)

    async def _clear(
        self, path: str, files: Sequence[str], owner: int | None, *, delete: bool
    ) -> None:
        if delete:
            await asyncio.to_thread(self._delete, files)
            log.debug("extraction of %s: deleted the %d volumes", path, len(files))

        def work(tx: Tx) -> None:
            store.set_state(tx.conn, path, "unpacked", files=files)
            if not store.serves_package(tx.conn, path, owner):
                store.delete_extractions(tx.conn, [path])
            _release_downloads(tx, files, deleted=delete)
            # Downloads may have been removed, and with them their package.
            tx.emit(Changed("downloads"))
            tx.emit(Changed("files"))

        await self._db.write(work)

    def _delete(self, files: Collection[str]) -> None:
        root = self._done.root
        for file in files:
            with suppress(AppError):
                root.remove(to_parts(file))


def notes_of(archive: ArchiveSet, result: Extracted) -> list[Problem]:
    """Return what the user should know about a finished extraction."""
    notes, name = [], archive.first
    if renamed := result.renamed:
        old, new = renamed[0]
        notes.append(
            Problem(
                "files_renamed", {"archive": name, "count": len(renamed), "old": old, "new": new}
            )
        )
    if skipped := result.skipped_links:
        names = ", ".join(skipped[:_NAMED_LINKS])
        notes.append(
            Problem("links_skipped", {"archive": name, "count": len(skipped), "names": names})
        )
    return notes


def _release_downloads(tx: Tx, files: Collection[str], *, deleted: bool) -> None:
    """Remove the downloads of an archive, or at least the references to deleted files."""
    if options_store.options(tx.conn).remove_archive_downloads:
        for id in store.downloads_of_files(tx.conn, files):
            delete_download(tx.conn, id)
    elif deleted:
        store.clear_files(tx.conn, files)


def _learn_password(tx: Tx, password: str, *, worth_adding: bool) -> None:
    """Move a working password to the front. An archive's own name is not added to the list."""
    known = options_store.passwords(tx.conn)
    if password in known or worth_adding:
        learnt = [password, *(each for each in known if each != password)]
        options_store.replace_passwords(tx.conn, learnt)
        tx.emit(Changed("settings"))
