"""Runs external programs that fetch files, reads their progress and limits their speed."""

import asyncio
import errno
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from quartet.downloads.processes import kill_group
from quartet.downloads.transfer.checkpoint import program_folder, remove_checkpoint
from quartet.downloads.transfer.speed import SpeedMeter
from quartet.downloads.transfer.types import (
    MIB,
    ExternalProgram,
    Failed,
    Finished,
    Job,
    Outcome,
    Paused,
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
    stopped: bool = False
    done: int = 0
    size: int | None = None
    last: dict[str, Any] = field(default_factory=dict)
    limit: int = 0
    speed: SpeedMeter = field(default_factory=SpeedMeter)

    def end(self) -> None:
        self.stopped = True
        kill_group(self.process)


class Programs:
    """Each program has a working folder next to its part file, from which it can resume."""

    def __init__(self, reserve: int = 256 * MIB) -> None:
        self._reserve = reserve
        self._children: dict[int, _Child] = {}
        # Includes programs that are still being started.
        self._wanted: set[int] = set()

    async def fetch(self, job: Job, program: ExternalProgram, limit: int) -> Outcome:
        self._wanted.add(job.id)
        try:
            return await self._fetch(job, program, limit)
        finally:
            self._wanted.discard(job.id)

    async def _fetch(self, job: Job, program: ExternalProgram, limit: int) -> Outcome:
        folder = program_folder(job.part)
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
            kill_group(child.process)
            await child.process.wait()
            del self._children[job.id]
        return await asyncio.to_thread(_outcome, child, folder)

    def pause(self, id: int) -> None:
        """Stop the program; does nothing if no program fetches this download."""
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


async def _start(job: Job, program: ExternalProgram) -> _Child:
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
            return  # the program has ended; its last output says why


async def _listen(child: _Child) -> None:
    """Read progress until the program closes its output or is silent for too long."""
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
    job, last = child.job, child.last
    if "result" in last:
        return _finished(job, folder, Path(last["result"]["file"]))
    if child.stopped:
        return Paused(job.id)
    error = last.get("error") or {}
    if error.get("kind") == "disk" and error.get("number") in _FULL:
        return Failed(job.id, Problem("disk_full", {"path": job.part.name}), retryable=False)
    problem = Problem("program_failed", {"text": str(error.get("text") or "")})
    final = error.get("kind") in ("final", "format", "offline")
    return Failed(job.id, problem, retryable=not final, offline=error.get("kind") == "offline")


def _finished(job: Job, folder: Path, file: Path) -> Outcome:
    """Move the program's file to the path of the part file."""
    if file.parent != folder or file.is_symlink() or not file.is_file():
        return Failed(job.id, Problem("program_failed", {"text": ""}), retryable=True)
    size = file.stat().st_size
    remove_checkpoint(job.part)
    file.replace(job.part)
    shutil.rmtree(folder, ignore_errors=True)
    return Finished(job.id, size, None)
