"""Runs one download: resolves the link and fetches the file, which then arrives."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from quartet.downloads.options.types import Options
from quartet.downloads.queue import store
from quartet.downloads.queue.arrival import Arrival, ArrivedFile
from quartet.downloads.queue.failures import NEEDS_USER, NextStep, after_failure, named, wait_for
from quartet.downloads.queue.finish.done_folder import part_path
from quartet.downloads.queue.queue_services import QueueServices
from quartet.downloads.queue.types import (
    ClaimedDownload,
    FileSource,
    Phase,
    ResolveError,
    TaskStopped,
)
from quartet.downloads.transfer import Failed, Finished, Job, Snapshot, discard, is_checksum_list
from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.kernel.log import problem_text

log = logging.getLogger("quartet.downloads.queue")

# How many mirrors are tried alone after the checksum was wrong.
_MOST_MIRRORS_ALONE = 5


@dataclass(eq=False)
class DownloadTask:
    item: ClaimedDownload
    services: QueueServices
    # The options at the time the task was started.
    options: Options
    # Called when the slot is free again; verifying and moving need no slot.
    release_slot: Callable[[], None]
    holds_slot: bool = True
    # Whether the user or a countdown is waited for.
    waiting: bool = False
    stopped: bool = False
    bytes_done: int = 0
    size: int | None = None
    # Whether the download was still queued when it was marked as active; None if that was written
    # before the task.
    claim: asyncio.Future[bool] | None = None
    _details_stored: bool = False
    # The user or the hoster's plugin gave a name, which overrides the one of the server.
    _hoster_named: bool = False
    _resolving: asyncio.Task[Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.bytes_done, self.size = self.item.bytes_done, self.item.size
        self._hoster_named = self.item.name_fixed
        self._part = part_path(self.services.tmp, self.item.id)
        self._arrival = Arrival(self._part, self.services, self.options, self.is_stopped)

    @property
    def phase(self) -> Phase | None:
        return "waiting" if self.waiting else self._arrival.phase

    @property
    def file(self) -> str | None:
        """The reserved path. Once it is set, the download can no longer be paused."""
        return self._arrival.file

    @property
    def moved(self) -> bool:
        return self._arrival.moved

    def is_stopped(self) -> bool:
        return self.stopped

    def stop_gracefully(self) -> None:
        """Stop as soon as possible, but let a move that has begun finish first."""
        if self.file is None:
            self.stop()

    def stop(self) -> None:
        """Stop now; also aborts a move to another disk."""
        self.stopped = True
        if self._resolving:
            self._resolving.cancel()
        self.services.fetcher.pause(self.item.id)

    async def run(self) -> None:
        """Run the download and write its outcome to the database."""
        item = self.item
        log.debug(
            "download %d started: %s from %s (package %d)",
            item.id,
            item.name,
            item.host,
            item.package_id,
        )
        try:
            await self._run()
        except TaskStopped:
            await self._write(store.update_unfinished, bytes_done=self.bytes_done)
            log.debug("download %d stopped at %d bytes", item.id, self.bytes_done)
        except ResolveError as error:
            await self._resolve_failed(error)
        except AppError as error:
            await self._handle_app_error(error)
        except Exception as error:
            log.exception("download %d failed", self.item.id)
            # If the file already arrived, only the database update is missing; startup recovery
            # does it.
            if not await self._arrival.is_complete(self.size):
                await self._failed(Failed(self.item.id, problem_of(error), retryable=True))

    async def _run(self) -> None:
        source = await self._resolve()
        wrong = await self._attempt(source)
        # It is not known which mirror sent wrong bytes, so each is tried alone.
        again = source.alone()[:_MOST_MIRRORS_ALONE] if source.mirrors else [source]
        while wrong and again:
            wrong = await self._attempt(again.pop(0), wrong if again else None)
        if wrong:
            await self._end(wrong, NextStep(store.fail, {"hash_ok": False, "bytes_done": 0}))

    async def _attempt(self, source: FileSource, before: Problem | None = None) -> Problem | None:
        """Fetch and finish the file; return what is wrong with its content, or None.

        If `before` is given, there is another source, so a failure is not the end; it is returned.
        """
        outcome = await self._fetch(source)
        if isinstance(outcome, Failed):
            if not await self._is_claimed():
                raise TaskStopped
            if before and outcome.problem.code not in NEEDS_USER:
                return before
            await self._failed(outcome)
            return None
        file = ArrivedFile(self._name(outcome), outcome.size)
        wrong = await self._arrival.verify(self.item, file)
        if wrong is None:
            await self._arrival.finish(self.item, file)
            return None
        await asyncio.to_thread(discard, self._part)
        self.bytes_done = 0
        return wrong

    def _raise_if_stopped(self) -> None:
        if self.stopped:
            raise TaskStopped

    async def _resolve(self) -> FileSource:
        self._resolving = asyncio.current_task()
        try:
            source = await self.services.resolve(self.item, self._set_waiting)
        except asyncio.CancelledError:
            if self.stopped and self._resolving:
                self._resolving.uncancel()
                raise TaskStopped from None
            raise
        finally:
            self._resolving = None
            self._set_waiting(False)
        if log.isEnabledFor(logging.DEBUG):
            log.debug(
                "download %d resolved to a file at %s (plugin %s)",
                self.item.id,
                urlsplit(source.url).hostname,
                self.item.plugin_id or "none",
            )
        details = source.known_details
        if self.item.name_fixed:
            details.pop("name", None)
        if details:
            self.item = self.item._replace(**details)
            self._hoster_named = self._hoster_named or source.name is not None
            await self._write(store.update_unfinished, **details, online="online")
        return source

    def _set_waiting(self, waiting: bool) -> None:
        """Give the slot back while the download waits for the user or a countdown.

        Afterwards the download continues even if no slot is free, because an answer and the address
        it leads to expire soon; the queue then starts fewer others.
        """
        if waiting == self.waiting:
            return
        self.waiting = waiting
        self.holds_slot = not waiting
        if waiting:
            self.release_slot()

    def _job(self, source: FileSource) -> Job:
        options = self.options
        return Job(
            id=self.item.id,
            url=source.url,
            part=self._part,
            mirrors=source.mirrors,
            headers=source.headers,
            cookies={**source.cookies, **source.own.cookies},
            own_headers=source.own.headers,
            logins=source.logins,
            proxy=options.proxy,
            connections=min(options.connections_per_file, source.max_connections or 16),
            known_size=self.item.size,
            opens_containers=self.item.plugin_id is None,
            group=self.item.package_id,
            cipher=source.cipher,
            program=source.program,
        )

    async def _fetch(self, source: FileSource) -> Finished | Failed:
        self._raise_if_stopped()
        job = self._job(source)
        if self.item.plugin_id:
            await self._write(store.transfer)
        self.holds_slot = True
        log.debug(
            "download %d transfer started: up to %d connections, %d of %s bytes present",
            job.id,
            job.connections,
            self.bytes_done,
            self.item.size or "unknown",
        )
        outcome = await self.services.fetcher.fetch(job)
        # Files fetched after a checksum list are verified with it, so the list keeps its slot until
        # it is in place.
        if not is_checksum_list(self.item.name):
            self.holds_slot = False
            self.release_slot()
        if isinstance(outcome, Finished):
            self.bytes_done = self.size = outcome.size
            log.debug("download %d transferred: %d bytes", job.id, outcome.size)
        elif not isinstance(outcome, Failed):
            raise TaskStopped
        return outcome

    def _name(self, outcome: Finished) -> str:
        return self.item.name if self._hoster_named else outcome.name_hint or self.item.name

    async def _resolve_failed(self, error: ResolveError) -> None:
        if self.stopped:
            return
        if error.seconds is None:
            failed = Failed(self.item.id, error.problem, error.retryable, offline=error.offline)
            await self._failed(failed)
        else:
            await self._end(error.problem, wait_for(error.seconds))

    async def _handle_app_error(self, error: AppError) -> None:
        if self.stopped:
            await self._write(store.update_unfinished, bytes_done=self.bytes_done)
        else:
            temporary = error.status != 400
            await self._failed(Failed(self.item.id, problem_of(error), retryable=temporary))

    async def _failed(self, failed: Failed) -> None:
        if failed.problem.code == "leads_to_container":
            await self._write(store.open_container)
            return
        step = after_failure(failed, self.item, self.bytes_done, self.options.max_retries)
        await self._end(named(failed.problem, self.item.name), step)

    async def _end(self, problem: Problem, step: NextStep) -> None:
        if not await self._write(step.action, problem=problem, **step.values):
            return
        retry_at = step.values.get("retry_at")
        following = f"; retry in {retry_at / 1000 - time.time():.0f} s" if retry_at else ""
        log.info("download %d failed: %s%s", self.item.id, problem_text(problem), following)

    async def store_details(self, snapshot: Snapshot) -> None:
        """Store name and size as soon as the server has sent them."""
        self.bytes_done, self.size = snapshot.bytes_done, snapshot.size
        if self._details_stored or snapshot.size is None:
            return
        self._details_stored = True
        details: dict[str, Any] = {"size": snapshot.size, "online": "online"}
        if snapshot.name_hint and not self._hoster_named:
            details["name"] = snapshot.name_hint
        await self._write(store.update_unfinished, **details)

    async def _is_claimed(self) -> bool:
        """Wait until the download is marked as active; return whether it was still queued."""
        if self.claim is None:
            return True
        return self.claim.result() if self.claim.done() else await asyncio.shield(self.claim)

    async def _write(self, action: Callable[..., Any], **values: Any) -> Any:
        await self._is_claimed()
        return await self.services.writes.do(
            lambda tx: action(tx.conn, self.item.id, **values), [self.item.id]
        )
