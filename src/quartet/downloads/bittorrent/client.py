"""Starts the torrent process on first use, talks to it and restarts it after a crash."""

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from itertools import count
from typing import Any, TypeVar

import msgspec

from quartet.downloads.bittorrent.types import (
    Add,
    Announce,
    Broken,
    Change,
    ChangeSharing,
    Command,
    Completed,
    Configure,
    Describe,
    Described,
    FilesChecked,
    Message,
    Metainfo,
    MetainfoArrived,
    Parse,
    Parsed,
    Recheck,
    Remove,
    Removed,
    SessionSettings,
    Statuses,
    TorrentStatus,
)
from quartet.downloads.processes import kill_group
from quartet.kernel.errors import AppError

log = logging.getLogger("quartet.downloads.bittorrent")

LONGEST_LINE = 64 << 20
ANSWER_SECONDS = 20.0
# How long the process is kept without torrents.
IDLE_SECONDS = 30.0
STOP_SECONDS = 4.0
LONGEST_DELAY = 30.0

Event = MetainfoArrived | Completed | FilesChecked | Broken
A = TypeVar("A", Parsed, Described)


class TorrentClient:
    """Runs torrents in the torrent process; `on_event` is called in the event loop."""

    def __init__(self, settings: SessionSettings | None = None) -> None:
        self.on_event: Callable[[Event], None] = lambda _event: None
        self.statuses: dict[int, TorrentStatus] = {}
        self._settings = settings or SessionSettings()
        self._torrents: dict[int, Add] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._requests: dict[int, asyncio.Future[Message]] = {}
        self._removals: dict[int, asyncio.Future[None]] = {}
        self._numbers = count(1)
        self._failures = 0
        self._idle: asyncio.TimerHandle | None = None
        self._stopped = False

    @property
    def pid(self) -> int | None:
        """The id of the process, or None if it does not run."""
        return self._process.pid if self._process else None

    def configure(self, **changes: Any) -> None:
        """Change some settings of the session."""
        settings = msgspec.structs.replace(self._settings, **changes)
        if settings != self._settings:
            self._settings = settings
            self._send(Configure(settings))

    async def parse(self, content: bytes) -> Metainfo:
        answer = await self._ask(Parsed, lambda number: Parse(number, content))
        if answer.metainfo is None or not answer.metainfo.files:
            raise AppError(422, "container_damaged")
        return answer.metainfo

    async def describe(self, id: int) -> Described:
        if id not in self._torrents:
            return Described(0, [], [])
        return await self._ask(Described, lambda number: Describe(number, id))

    async def add(self, command: Add) -> None:
        self._torrents[command.id] = command
        if self._process is None:
            await self._start()
        else:
            self._send(command)

    def change(self, command: Change, metainfo: bytes | None) -> None:
        if command.id in self._torrents:
            self._torrents[command.id] = msgspec.structs.replace(
                self._torrents[command.id],
                metainfo=metainfo,
                priorities=command.priorities,
                sequential=command.sequential,
                download_limit=command.download_limit,
            )
            self._send(command)

    def change_sharing(self, command: ChangeSharing) -> None:
        if command.id in self._torrents:
            self._torrents[command.id] = msgspec.structs.replace(
                self._torrents[command.id],
                trackers=command.trackers,
                upload_limit=command.upload_limit,
            )
            self._send(command)

    def announce(self, id: int) -> None:
        """Ask the trackers of a running torrent for peers now."""
        self._send(Announce(id))

    def recheck(self, id: int) -> None:
        """Check all files of a running torrent."""
        self._send(Recheck(id))

    async def remove(self, id: int) -> None:
        """Stop a torrent; returns when its data is on the disk."""
        if self._torrents.pop(id, None) is None or self._process is None:
            return
        removed = self._removals[id] = asyncio.get_running_loop().create_future()
        self._send(Remove(id))
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_SECONDS):
                await removed
        self._removals.pop(id, None)
        self.statuses.pop(id, None)
        self._stop_when_idle()

    async def stop(self) -> None:
        """End the process after it has saved its resume data."""
        self._stopped = True
        self._torrents.clear()
        await self._close()

    async def _ask(self, kind: type[A], command: Callable[[int], Command]) -> A:
        number = next(self._numbers)
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._requests[number] = answer
        try:
            await self._start()
            self._send(command(number))
            async with asyncio.timeout(ANSWER_SECONDS):
                result = await answer
        except (TimeoutError, ConnectionError):
            raise AppError(503, "torrents_unavailable") from None
        finally:
            del self._requests[number]
            self._stop_when_idle()
        assert isinstance(result, kind)  # noqa: S101 the number belongs to one kind
        return result

    async def _start(self) -> None:
        async with self._starting:
            if self._process or self._stopped:
                return
            if find_spec("libtorrent") is None:
                raise AppError(503, "torrents_unavailable")
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "quartet.downloads.bittorrent.process",
                str(os.getpid()),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
                limit=LONGEST_LINE,
            )
            log.info("torrent process %d started", self._process.pid)
            self._send(Configure(self._settings))
            for command in self._torrents.values():
                self._send(command)
            self._reading = asyncio.create_task(self._read(self._process), name="torrent-process")

    def _send(self, command: Command) -> None:
        if self._process and self._process.stdin and not self._process.stdin.is_closing():
            self._process.stdin.write(msgspec.json.encode(command) + b"\n")

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        decoder = msgspec.json.Decoder(Message)
        try:
            while process.stdout and (line := await process.stdout.readline()):
                self._on_message(decoder.decode(line))
        except (ValueError, ConnectionError):
            log.exception("torrent process %d sent an invalid message", process.pid)
        kill_group(process)
        code = await process.wait()
        if self._process is process:
            await self._ended(process, code)

    async def _ended(self, process: asyncio.subprocess.Process, code: int) -> None:
        """Start the process again after a crash; the torrents continue from their resume data."""
        self._process = None
        self.statuses.clear()
        for waiting in self._requests.values():
            if not waiting.done():
                waiting.set_exception(ConnectionError())
        for id in list(self._removals):
            self._removed(id)
        if not self._torrents or self._stopped:
            return
        log.warning("torrent process %d ended with %d and is restarted", process.pid, code)
        await asyncio.sleep(min(0.5 * 2**self._failures, LONGEST_DELAY))
        self._failures += 1
        await self._start()

    def _on_message(self, message: Message) -> None:
        match message:
            case Parsed(number) | Described(number):
                answer = self._requests.get(number)
                if answer and not answer.done():
                    answer.set_result(message)
            case Statuses(torrents):
                self._failures = 0 if torrents else self._failures
                self.statuses = {each.id: each for each in torrents if each.id in self._torrents}
            case Removed(id):
                self._removed(id)
            case MetainfoArrived():
                self.on_event(message)
            case Completed(id) | FilesChecked(id) | Broken(id):
                # A removal that was requested at the same time has nothing left to do.
                self._removed(id)
                if self._torrents.pop(id, None):
                    self.on_event(message)
                self._stop_when_idle()

    def _removed(self, id: int) -> None:
        removed = self._removals.get(id)
        if removed and not removed.done():
            removed.set_result(None)

    def _stop_when_idle(self) -> None:
        if self._idle:
            self._idle.cancel()
        if not self._torrents and not self._requests and not self._stopped:
            loop = asyncio.get_running_loop()
            self._idle = loop.call_later(IDLE_SECONDS, self._end_if_idle)

    def _end_if_idle(self) -> None:
        if not self._torrents and not self._requests and self._process and self._process.stdin:
            log.info("torrent process %d ends, because there are no torrents", self._process.pid)
            self._process.stdin.close()

    async def _close(self) -> None:
        process, reading = self._process, self._reading
        if self._idle:
            self._idle.cancel()
        if process is None or reading is None:
            return
        if process.stdin:
            process.stdin.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                await asyncio.shield(reading)
        kill_group(process)
