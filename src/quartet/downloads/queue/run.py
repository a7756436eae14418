"""One download on its way: resolved, fetched, checked, moved."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quartet.downloads.options.types import Options
from quartet.downloads.queue import store
from quartet.downloads.queue.arrivals import Arrivals
from quartet.downloads.queue.backoff import seconds_until
from quartet.downloads.queue.fetching import Fetching
from quartet.downloads.queue.finishing import DoneFolder, part_path
from quartet.downloads.queue.following import Following
from quartet.downloads.queue.syncing import Syncing
from quartet.downloads.queue.types import (
    Claimed,
    Ended,
    Landed,
    Landing,
    Move,
    Package,
    Phase,
    Source,
    Unresolved,
)
from quartet.downloads.queue.verifying import Verifying
from quartet.downloads.queue.writes import Writes
from quartet.downloads.transfer import Failed, Finished, Job, Snapshot, discard, is_list
from quartet.kernel.errors import AppError, Problem, problem_of

log = logging.getLogger("quartet.downloads.queue")

# Trying again would only fail again until a person has made room.
_FOR_A_PERSON = ("no_space", "disk_full", "read_only", "permission_denied", "file_too_large")
# When a server does not say how long its allowance is used up.
_NEXT_ALLOWANCE = 1800.0


@dataclass(frozen=True)
class Tools:
    """What all runs share."""

    writes: Writes
    fetching: Fetching
    verifying: Verifying
    done: DoneFolder
    arrivals: Arrivals
    following: Following
    syncing: Syncing
    tmp: Path
    # From a link to the address of its file; hosters have their own ways.
    resolve: Callable[[Claimed], Awaitable[Source]]


class Stopped(Exception):
    """Nobody wants this run any more: the list says something else about its download."""


@dataclass(eq=False)
class Run:
    item: Claimed
    tools: Tools
    # As they were when it began.
    options: Options
    # Told when its slot is free again: what comes after the transfer needs none.
    let_go: Callable[[], None]
    holds_slot: bool = True
    phase: Phase | None = None
    unwanted: bool = False
    # The place of its file, once it is written down: from here on nothing can be taken back.
    file: str | None = None
    landed: bool = False
    bytes_done: int = 0
    size: int | None = None
    hash_ok: bool | None = None
    _learnt: bool = False
    # By its hoster, who knows better than the address of the file.
    _named: bool = False
    # Where it goes, if that was asked just now.
    _folder: str | None = None
    _resolving: asyncio.Task[Source] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.bytes_done, self.size = self.item.bytes_done, self.item.size
        self._part = part_path(self.tools.tmp, self.item.id)

    def is_unwanted(self) -> bool:
        return self.unwanted

    def leave(self) -> None:
        """Ends as soon as it can. A file that is just being moved arrives first."""
        if self.file is None:
            self.halt()

    def halt(self) -> None:
        """Ends now, whatever it does; a move to another disk is given up as well."""
        self.unwanted = True
        if self._resolving:
            self._resolving.cancel()
        self.tools.fetching.pause(self.item.id)

    async def go(self) -> None:
        """Whatever happens, the list says so at the end, unless it says something newer."""
        try:
            await self._go()
        except Stopped:
            await self._write(store.note, bytes_done=self.bytes_done)
        except Unresolved as error:
            await self._unresolved(error)
        except AppError as error:
            await self._refused(error)
        except Exception as error:
            log.exception("download %d failed", self.item.id)
            # Otherwise only the word of it is missing: whoever finds the file there sees to that.
            if not await self._has_arrived():
                await self._failed(Failed(self.item.id, problem_of(error), retryable=True))

    async def _go(self) -> None:
        source = await self._resolve()
        for _ in range(2):
            outcome = await self._fetch(source)
            if isinstance(outcome, Failed):
                await self._failed(outcome)
                return
            wrong = await self._verify(outcome)
            if wrong is None:
                await self._finish(outcome)
                return
            await asyncio.to_thread(discard, self._part)
            self.bytes_done = 0
        await self._write(store.fail, problem=wrong, hash_ok=False, bytes_done=0)

    def _go_on(self) -> None:
        if self.unwanted:
            raise Stopped

    async def _resolve(self) -> Source:
        self._resolving = asyncio.ensure_future(self.tools.resolve(self.item))
        try:
            source = await self._resolving
        except asyncio.CancelledError:
            self._go_on()
            raise
        finally:
            self._resolving = None
        if source.told:
            self.item = self.item._replace(**source.told)
            self._named = source.name is not None
            await self._write(store.note, **source.told, online="online")
        return source

    async def _fetch(self, source: Source) -> Finished | Failed:
        self._go_on()
        options = self.options
        job = Job(
            id=self.item.id,
            url=source.url,
            part=self._part,
            headers=source.headers,
            cookies=source.cookies,
            proxy=options.proxy,
            connections=min(options.connections_per_file, source.max_connections or 16),
            known_size=self.item.size,
            group=self.item.package_id,
            cipher=source.cipher,
            program=source.program,
        )
        if self.item.plugin_id:
            await self._write(store.transfer)
        self.holds_slot = True
        outcome = await self.tools.fetching.fetch(job)
        # What comes after a list of checksums shall be compared with it.
        if not is_list(self.item.name):
            self.holds_slot = False
            self.let_go()
        if isinstance(outcome, Finished):
            self.bytes_done = self.size = outcome.size
        elif not isinstance(outcome, Failed):
            raise Stopped
        return outcome

    async def _verify(self, outcome: Finished) -> Problem | None:
        """What is wrong with the bytes; nothing also when nobody promised anything."""
        if not self.options.verify_checksums:
            return None
        verifying = self.tools.verifying
        package = await self._package()
        expected = await verifying.expected(self.item, self._name(outcome), package.lists)
        if expected is None:
            self._folder = package.folder
            return None
        self.phase = "hashWait"
        try:
            async with verifying.turn:
                self._go_on()
                self.phase = "hashing"
                self.hash_ok = await verifying.matches(self._part, expected, self.is_unwanted)
        finally:
            self.phase = None
        return None if self.hash_ok else Problem("hash_wrong", {"kind": expected.kind})

    async def _package(self) -> Package:
        package = await self.tools.arrivals.package(self.item.id)
        if package is None:
            raise Stopped
        return package

    async def _finish(self, outcome: Finished) -> None:
        self.phase = "moving"
        if self.hash_ok is not None:
            await self._write(store.note, hash_ok=self.hash_ok)
        file, ended = await self._land(outcome)
        self.landed = True
        if not ended.there:
            # Deleted while it was being moved: nothing of it shall stay.
            await asyncio.to_thread(self.tools.done.remove, file)
            return
        if ended.settled:
            return
        self.phase = "hashing" if is_list(file) else None
        landed = Landed(self.item.id, self.item.package_id, file, self.hash_ok)
        await self.tools.following.follow(landed, self.options, self.is_unwanted)

    async def _land(self, outcome: Finished) -> tuple[str, Ended]:
        folder = self._folder if self._folder is not None else (await self._package()).folder
        move = Move(self.item.id, folder, self._name(outcome), outcome.size)
        arrivals = self.tools.arrivals
        while True:
            self._go_on()
            file = await arrivals.announce(move)
            if file is None or self.unwanted:
                raise Stopped
            self.file = file
            landing = Landing(self.item.id, self._part, file, self.is_unwanted)
            if ended := await arrivals.land(landing):
                return file, ended

    async def _has_arrived(self) -> bool:
        done, file = self.tools.done, self.file
        return file is not None and await asyncio.to_thread(
            done.has_taken, self._part, file, self.size
        )

    def _name(self, outcome: Finished) -> str:
        return self.item.name if self._named else outcome.name_hint or self.item.name

    async def _unresolved(self, error: Unresolved) -> None:
        if self.unwanted:
            return
        if error.seconds is None:
            failed = Failed(self.item.id, error.problem, error.retryable, offline=error.offline)
            await self._failed(failed)
        else:
            # Exactly as long as its hoster says; such an attempt does not count.
            retry_at = int((time.time() + error.seconds) * 1000)
            await self._write(store.wait, problem=error.problem, retry_at=retry_at)

    async def _refused(self, error: AppError) -> None:
        if self.unwanted:
            await self._write(store.note, bytes_done=self.bytes_done)
        else:
            passing = error.status != 400
            await self._failed(Failed(self.item.id, problem_of(error), retryable=passing))

    async def _failed(self, failed: Failed) -> None:
        if failed.problem.code == "bandwidth_used_up":
            wait = failed.retry_after or _NEXT_ALLOWANCE
            await self._unresolved(Unresolved(failed.problem, seconds=wait))
            return
        problem, attempts = failed.problem, self.item.attempts + 1
        kept = {"attempts": attempts, "bytes_done": self.bytes_done}
        if problem.code in _FOR_A_PERSON:
            await self._write(store.stop, problem=problem, **kept)
        elif failed.offline:
            await self._write(store.fail, problem=problem, online="offline", **kept)
        elif not failed.retryable or attempts > self.options.max_retries:
            await self._write(store.fail, problem=problem, **kept)
        else:
            wait = seconds_until(attempts, failed.retry_after)
            retry_at = int((time.time() + wait) * 1000)
            await self._write(store.wait, problem=problem, retry_at=retry_at, **kept)

    async def learn(self, snapshot: Snapshot) -> None:
        """Name and size are shown as soon as the server has said them."""
        self.bytes_done, self.size = snapshot.bytes_done, snapshot.size
        if self._learnt or snapshot.size is None:
            return
        self._learnt = True
        told: dict[str, Any] = {"size": snapshot.size, "online": "online"}
        if snapshot.name_hint and not self._named:
            told["name"] = snapshot.name_hint
        await self._write(store.note, **told)

    async def _write(self, act: Callable[..., Any], **values: Any) -> Any:
        return await self.tools.writes.do(lambda tx: act(tx.conn, self.item.id, **values))
