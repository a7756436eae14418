"""Asks connected agents, wherever they are connected."""

import asyncio
import itertools
from collections.abc import Callable

from msgspec.structs import replace

from quartet.kernel.errors import AppError
from quartet.sync.agents.session import AgentSession
from quartet.sync.agents.types import DeviceFolders, Disconnected
from quartet.sync.cluster.requests import Requests
from quartet.sync.protocol import DriftedFile, Inspect, Inspected, MissingFiles

ANSWER_SECONDS = 5.0
# Shorter than the time that another server waits for the answer.
SCAN_SECONDS = 15.0
# The answer to a rescan says nothing.
RESCAN_SECONDS = 1.0


class Questions:
    """An agent that does not answer is the same as one that is not connected."""

    def __init__(
        self,
        session_of: Callable[[int], AgentSession | None],
        server_of: Callable[[int], str | None],
        servers: Requests,
    ) -> None:
        """`server_of` returns the other server that a device is connected to."""
        self._session_of = session_of
        self._server_of = server_of
        self._servers = servers
        self._numbers = itertools.count(1)
        # Questions of this server that have not been answered yet, by device and request.
        self._open: dict[tuple[int, int], asyncio.Future[Inspected]] = {}

    async def list_patterns(self, device_id: int, path: str) -> list[str]:
        """Return the ignore patterns in a folder of a device."""
        answer = await self._ask(device_id, Inspect(0, path))
        return answer.ignore_patterns if answer else []

    async def list_drifted(self, device_id: int, folder: str) -> list[DriftedFile] | None:
        """Return files that differ from the folder's mode; None if the device does not answer."""
        answer = await self._ask(device_id, Inspect(0, folder=folder))
        return answer.files if answer else None

    async def list_missing(self, device_id: int, folder: str) -> MissingFiles | None:
        """Return the files that a device lacks; None if it does not answer."""
        answer = await self._ask(device_id, Inspect(0, folder=folder, missing=True))
        return answer.missing if answer else None

    async def scan(self, device_id: int, folder: str) -> int:
        """Let a device scan a folder; return the number of its last change, 0 if unknown."""
        answer = await self._ask(device_id, Inspect(0, folder=folder, scan=True), SCAN_SECONDS)
        return answer.sequence if answer else 0

    async def rescan(self, device_id: int, folder: str) -> None:
        """Let a device scan a folder and try failed files again."""
        question = Inspect(0, folder=folder, scan=True, retry=True)
        await self._ask(device_id, question, RESCAN_SECONDS)

    async def browse(self, device_id: int, path: str) -> DeviceFolders:
        """Return the folders in a folder of a device, or its places if `path` is empty."""
        answer = await self._ask(device_id, Inspect(0, browse=path))
        if answer is None:
            raise AppError(409, "device_silent")
        if answer.places is None and answer.folders is None:
            raise AppError(409, "browsing_not_allowed", path=path)
        return DeviceFolders(answer.places or [], answer.folders or [], answer.more)

    async def _ask(
        self, device_id: int, question: Inspect, seconds: float = ANSWER_SECONDS
    ) -> Inspected | None:
        server = self._server_of(device_id)
        return await self._servers.call(server, self.ask_here, device_id, question, seconds)

    async def ask_here(self, device_id: int, question: Inspect, seconds: float) -> Inspected | None:
        """Ask an agent that is connected to this server; return None if it does not answer."""
        session = self._session_of(device_id)
        if session is None:
            return None
        number = next(self._numbers)
        answer = asyncio.get_running_loop().create_future()
        self._open[device_id, number] = answer
        try:
            async with asyncio.timeout(seconds):
                asked = await session.inspect(replace(question, request=number))
                return await answer if asked else None
        except (TimeoutError, Disconnected):
            return None
        finally:
            del self._open[device_id, number]

    def accept(self, session: AgentSession, message: Inspected) -> None:
        """Pass on the answer of an agent; ignore one that is too late or was not asked for."""
        answer = self._open.get((session.device_id, message.request))
        if answer is not None and not answer.done():
            session.discount_answer()
            answer.set_result(message)
