"""Files that other programs fetch: they say how far they are, and can be slowed down and ended."""

import asyncio
import errno
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from quartet.downloads.processes import end
from quartet.downloads.transfer.control import forget, workshop
from quartet.downloads.transfer.speed import Speed
from quartet.downloads.transfer.types import (
    MIB,
    Failed,
    Finished,
    Job,
    Outcome,
    Paused,
    Program,
    Snapshot,
)
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.files import Root

_LONGEST_LINE = 1 * MIB
_SILENCE_SECONDS = 300.0
_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(eq=False)
class _Child:
    job: Job
    process: asyncio.subprocess.Process
    unwanted: bool = False
    done: int = 0
    size: int | None = None
    last: dict[str, Any] = field(default_factory=dict)
    limit: int = 0
    speed: Speed = field(default_factory=Speed)

    def end(self) -> None:
        self.unwanted = True
        end(self.process)


class Programs:
    """Each works in a folder beside its part file, where it finds what it left there before."""

    def __init__(self, reserve: int = 256 * MIB) -> None:
        self._reserve = reserve
        self._children: dict[int, _Child] = {}
        # Also those that are still being started.
        self._wanted: set[int] = set()

    async def fetch(self, job: Job, program: Program, limit: int) -> Outcome:
        self._wanted.add(job.id)
        try:
            return await self._fetch(job, program, limit)
        finally:
            self._wanted.discard(job.id)

    async def _fetch(self, job: Job, program: Program, limit: int) -> Outcome:
        folder = workshop(job.part)
        try:
            await asyncio.to_thread(_prepare, folder, (job.known_size or 0) + self._reserve)
        except AppError as error:
            return Failed(job.id, Problem(error.code, error.inputs), retryable=False)
        request = {**msgspec.json.decode(program.request), "folder": str(folder)}
        request |= {"proxy": job.proxy, "limit": limit}
        child = self._children[job.id] = await _start(job, program)
        child.limit = limit
        if job.id not in self._wanted:
            child.end()
        try:
            await _send(child, request)
            await _listen(child)
        finally:
            end(child.process)
            await child.process.wait()
            del self._children[job.id]
        return await asyncio.to_thread(_outcome, child, folder)

    def pause(self, id: int) -> None:
        """Nothing happens when it is not being fetched here."""
        self._wanted.discard(id)
        if child := self._children.get(id):
            child.end()

    def limit(self, limit_of: Callable[[Job], int]) -> None:
        for child in self._children.values():
            limit = limit_of(child.job)
            if limit != child.limit and child.process.stdin:
                child.limit = limit
                child.process.stdin.write(msgspec.json.encode({"limit": limit}) + b"\n")

    def snapshots(self) -> list[Snapshot]:
        return [
            Snapshot(
                child.job.id,
                child.done,
                child.size,
                child.speed.value,
                1,
                None,
                ((0, child.done, child.size),),
            )
            for child in self._children.values()
        ]

    async def stop(self) -> None:
        self._wanted.clear()
        for child in list(self._children.values()):
            child.end()


def _prepare(folder: Path, needed: int) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    Root(folder.parent).require_space(needed)


async def _start(job: Job, program: Program) -> _Child:
    process = await asyncio.create_subprocess_exec(
        *program.command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
        limit=_LONGEST_LINE,
    )
    return _Child(job, process)


async def _send(child: _Child, request: dict[str, Any]) -> None:
    if child.process.stdin:
        child.process.stdin.write(msgspec.json.encode(request) + b"\n")
        try:
            await child.process.stdin.drain()
        except ConnectionError:
            return  # it has ended already, and its last words say why


async def _listen(child: _Child) -> None:
    """Until it has said everything, or nothing for too long."""
    loop = asyncio.get_running_loop()
    while child.process.stdout:
        try:
            async with asyncio.timeout(_SILENCE_SECONDS):
                line = await child.process.stdout.readline()
            child.last = msgspec.json.decode(line, type=dict[str, Any]) if line else child.last
        except (TimeoutError, ValueError):
            return
        if not line:
            return
        if "done" in child.last:
            child.done = int(child.last["done"])
            child.size = child.last.get("size") or child.size
            child.speed.measure(loop.time(), child.done)


def _outcome(child: _Child, folder: Path) -> Outcome:
    job, said = child.job, child.last
    if "result" in said:
        return _finished(job, folder, Path(said["result"]["file"]))
    if child.unwanted:
        return Paused(job.id)
    error = said.get("error") or {}
    if error.get("kind") == "disk" and error.get("number") in _FULL:
        return Failed(job.id, Problem("disk_full", {"path": job.part.name}), retryable=False)
    problem = Problem("program_failed", {"text": str(error.get("text") or "")})
    final = error.get("kind") in ("final", "format", "offline")
    return Failed(job.id, problem, retryable=not final, offline=error.get("kind") == "offline")


def _finished(job: Job, folder: Path, file: Path) -> Outcome:
    """Its file takes the place of a part file."""
    if file.parent != folder or file.is_symlink() or not file.is_file():
        return Failed(job.id, Problem("program_failed", {"text": ""}), retryable=True)
    size = file.stat().st_size
    forget(job.part)
    file.replace(job.part)
    shutil.rmtree(folder, ignore_errors=True)
    return Finished(job.id, size, None)
