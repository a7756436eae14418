"""Jobs for the command line: of the running service, or in this process if none is running."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol, TypeVar, cast

import aiohttp
import msgspec

from quartet.kernel.errors import AppError, Problem
from quartet.kernel.lock import FolderInUse, FolderLock
from quartet.kernel.startup import open_kernel
from quartet.media.history.service import History
from quartet.media.history.types import HistoryFile, HistoryPage, ImportedHistory, Undo, Undone
from quartet.media.jobs.service import Jobs
from quartet.media.jobs.types import BUSY, ItemPage, Job, NewJob
from quartet.media.settings import MediaSettings

T = TypeVar("T")

_PAUSE = 0.1
_PAGE = 1000
_HISTORY_PAGE = 200
_EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound


class CommandJobs(Protocol):
    async def create(self, given: NewJob) -> Job: ...

    async def find(self, id: int) -> Job: ...

    async def items(self, id: int, after: int | None) -> ItemPage: ...

    async def execute(self, id: int) -> Job: ...

    async def history(self, text: str, before: int | None) -> HistoryPage: ...

    async def undo(self, given: Undo) -> Undone: ...

    async def import_filebot(self, given: HistoryFile) -> ImportedHistory: ...


class LocalJobs:
    def __init__(self, jobs: Jobs, history: History) -> None:
        self._jobs = jobs
        self._history = history

    async def create(self, given: NewJob) -> Job:
        return await self._jobs.create(given)

    async def find(self, id: int) -> Job:
        return await self._jobs.find(id)

    async def items(self, id: int, after: int | None) -> ItemPage:
        page = await self._jobs.items(id, [], "", after, _PAGE)
        # Stored JSON is passed through undecoded.
        return msgspec.json.decode(msgspec.json.encode(page), type=ItemPage)

    async def execute(self, id: int) -> Job:
        return await self._jobs.execute(id, None)

    async def history(self, text: str, before: int | None) -> HistoryPage:
        return await self._history.page(before, text, False, _HISTORY_PAGE)

    async def undo(self, given: Undo) -> Undone:
        return await self._history.undo(given)

    async def import_filebot(self, given: HistoryFile) -> ImportedHistory:
        return await self._history.import_filebot(given)


class RemoteJobs:
    def __init__(self, session: aiohttp.ClientSession, address: str) -> None:
        self._session = session
        self._address = address

    async def create(self, given: NewJob) -> Job:
        return await self._ask("POST", "/api/jobs/manual", Job, body=given)

    async def find(self, id: int) -> Job:
        return await self._ask("GET", f"/api/jobs/{id}", Job)

    async def items(self, id: int, after: int | None) -> ItemPage:
        query = {"limit": str(_PAGE)} | ({"cursor": str(after)} if after else {})
        return await self._ask("GET", f"/api/jobs/{id}/items", ItemPage, query)

    async def execute(self, id: int) -> Job:
        return await self._ask("POST", f"/api/jobs/{id}/execute", Job, body={})

    async def history(self, text: str, before: int | None) -> HistoryPage:
        query = {"q": text, "limit": str(_HISTORY_PAGE)}
        query |= {"cursor": str(before)} if before else {}
        return await self._ask("GET", "/api/history", HistoryPage, query)

    async def undo(self, given: Undo) -> Undone:
        return await self._ask("POST", "/api/history/undo", Undone, body=given)

    async def import_filebot(self, given: HistoryFile) -> ImportedHistory:
        return await self._ask("POST", "/api/history/import", ImportedHistory, body=given)

    async def _ask(
        self,
        method: str,
        path: str,
        shape: type[T],
        query: dict[str, str] | None = None,
        body: object = None,
    ) -> T:
        data = None if body is None else msgspec.json.encode(body)
        headers = {"Content-Type": "application/json"} if data else {}
        async with self._session.request(
            method, path, params=query, data=data, headers=headers
        ) as answer:
            content = await answer.read()
        if answer.status >= 400:
            with suppress(msgspec.MsgspecError):
                problem = msgspec.json.decode(content, type=Problem)
                raise AppError(answer.status, problem.code, **problem.inputs)
            raise AppError(502, "bad_answer", address=self._address)
        return msgspec.json.decode(content, type=shape)


@asynccontextmanager
async def open_jobs(settings: MediaSettings) -> AsyncIterator[CommandJobs]:
    """Use the service that runs with these settings, or open its data if none does."""
    try:
        lock = FolderLock(settings.data)
    except FolderInUse:
        async with _remote(settings) as remote:
            yield remote
        return
    try:
        async with _local(settings) as local:
            yield local
    finally:
        lock.release()


@asynccontextmanager
async def _remote(settings: MediaSettings) -> AsyncIterator[RemoteJobs]:
    host = "127.0.0.1" if settings.host in _EVERYWHERE else settings.host
    shown = f"[{host}]" if ":" in host else host
    headers = {"Authorization": f"Bearer {settings.token}"} if settings.token else {}
    address = f"http://{shown}:{settings.port}"
    async with aiohttp.ClientSession(address, headers=headers) as session:
        try:
            yield RemoteJobs(session, address)
        except aiohttp.ClientError as error:
            raise AppError(502, "unreachable", address=address) from error


@asynccontextmanager
async def _local(settings: MediaSettings) -> AsyncIterator[LocalJobs]:
    # Imported here, because it imports every feature.
    from quartet.media.app import SERVICE

    kernel = open_kernel(SERVICE, settings)
    built: dict[str, Any] = {**SERVICE.build(kernel).dependencies}
    jobs = cast(Jobs, built["jobs"])
    # Only the queues run: no watch folders and no notifications.
    queues = [
        asyncio.create_task(queue.run()) for queue in (jobs.preview_queue, jobs.execute_queue)
    ]
    try:
        yield LocalJobs(jobs, cast(History, built["history"]))
    finally:
        for task in queues:
            task.cancel()
        await asyncio.gather(*queues, return_exceptions=True)
        await built["prober"].close_idle()
        built["rule_sets"].patterns.close()
        await kernel.close()


async def wait_until_idle(jobs: CommandJobs, id: int) -> Job:
    # The service may be another process, so there is no event to wait for.
    while (job := await jobs.find(id)).status in BUSY:  # noqa: ASYNC110
        await asyncio.sleep(_PAUSE)
    return job
