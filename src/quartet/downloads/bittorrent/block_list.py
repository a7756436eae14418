"""Downloads the block list of torrents and keeps it up to date."""

import asyncio
import hashlib
import logging
import time
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from quartet.downloads.bittorrent.address_filter import ranges_of
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.conditions import Finding
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask

log = logging.getLogger("quartet.downloads.bittorrent")

DAY_SECONDS = 86_400.0
RETRY_SECONDS = 900.0
MOST_BYTES = 64 << 20
BODY_SECONDS = 1800.0
REQUEST_SECONDS = 300.0
NAME = "block-list"


class _State(msgspec.Struct):
    """What was downloaded last, in a file next to the list."""

    # The hash of its address, which may contain a key.
    source: str = ""
    etag: str = ""
    modified: str = ""
    checked_at: float = 0.0


class BlockListDownload:
    def __init__(self, kernel: Kernel[DownloadsSettings], path: Path) -> None:
        self._outbound = kernel.outbound
        self._url = kernel.settings.torrent_block_list_url
        self._path = path
        self._state_file = path.with_name(f"{path.name}.json")
        self._source = hashlib.sha256(self._url.encode()).hexdigest()
        self.problem: Problem | None = None
        self._tried_at = 0.0

    def seconds_left(self) -> float:
        """Return how long the list is up to date, or how long to wait after a failure."""
        if self.problem is not None:
            return self._tried_at + RETRY_SECONDS - time.time()
        return self._state().checked_at + DAY_SECONDS - time.time()

    async def refresh(self) -> None:
        """Download the list if it has changed; the old one stays if that fails."""
        self._tried_at = time.time()
        try:
            await self._fetch(await asyncio.to_thread(self._state))
            self.problem = None
        except AppError as error:
            status = error.inputs.get("status")
            reason = f"HTTP {status}" if status else error.code
            host = urlsplit(self._url).hostname
            self.problem = Problem("block_list_failed", {"address": host, "reason": reason})
            log.warning("the block list could not be downloaded: %s", error)

    async def check(self) -> Iterable[Finding]:
        return [Finding("task", NAME, self.problem)] if self.problem else []

    async def _fetch(self, known: _State) -> None:
        headers = {"If-None-Match": known.etag, "If-Modified-Since": known.modified}
        async with self._outbound.stream(
            self._url,
            max_bytes=MOST_BYTES,
            headers={name: text for name, text in headers.items() if text},
            timeout=REQUEST_SECONDS,
            body_seconds=BODY_SECONDS,
        ) as answer:
            if answer.status == 304:
                await asyncio.to_thread(self._store, known)
                return
            if answer.status != 200:
                raise AppError(502, "server_error", status=answer.status)
            content = b"".join([chunk async for chunk in answer.chunks()])
            etag, modified = (answer.headers.get(each, "") for each in ("ETag", "Last-Modified"))
        await asyncio.to_thread(self._replace, content)
        await asyncio.to_thread(self._store, _State(self._source, etag, modified))

    def _replace(self, content: bytes) -> None:
        part = self._path.with_name(f"{self._path.name}.part")
        part.write_bytes(content)
        try:
            count = sum(1 for _ in ranges_of(part))
        except (OSError, EOFError, ValueError):
            count = 0
        if not count:
            part.unlink()
            raise AppError(502, "bad_answer")
        part.replace(self._path)
        log.info("block list downloaded: %d address ranges", count)

    def _state(self) -> _State:
        """Return what is known about the list; nothing if it is another one, or is missing."""
        try:
            state = msgspec.json.decode(self._state_file.read_bytes(), type=_State)
        except (OSError, msgspec.MsgspecError):
            return _State()
        return state if state.source == self._source and self._path.exists() else _State()

    def _store(self, state: _State) -> None:
        state.checked_at = time.time()
        self._state_file.write_bytes(msgspec.json.encode(state))


def block_list_loop(kernel: Kernel[DownloadsSettings], path: Path) -> BackgroundTask:
    download = BlockListDownload(kernel, path)
    kernel.conditions.checks.append(download.check)

    async def run() -> None:
        while True:
            await asyncio.sleep(max(0.0, download.seconds_left()))
            await download.refresh()

    return BackgroundTask(NAME, run)
