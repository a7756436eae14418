"""Scripted devices of a sync server."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from quartet.sync.protocol import Applied, DesiredState, FolderStatus, Status, Waiting
from tests.browser.visits import SignIn
from tests.sync.agent import Agent
from tests.sync.processes import PASSWORD, Server

T = TypeVar("T")
SECONDS = 60


class Device:
    def __init__(self, loop: asyncio.AbstractEventLoop, agent: Agent) -> None:
        self._loop = loop
        self.agent = agent

    def join(self, code: str) -> int:
        return self._do(self.agent.join(code))

    def ask(self) -> str:
        """Join without a pairing code and return the fingerprint that the device shows."""
        return self._do(self._ask())

    async def _ask(self) -> str:
        await self.agent.greet()
        return (await self.agent.receive(Waiting)).fingerprint

    def approved(self) -> int:
        return self._do(self.agent.welcomed())

    def state(self, revision: int) -> DesiredState:
        return self._do(self.agent.state(revision))

    def applied(self, revision: int) -> None:
        self._do(self.agent.say(Applied(revision)))

    def report(self, folder: str, **values: Any) -> None:
        """Report the state of a folder, given by its Syncthing ID."""
        self._do(self.agent.say(Status({folder: FolderStatus(**values)})))

    def rejected(self) -> str:
        return self._do(self.agent.rejected())

    def leave(self) -> None:
        self._do(self.agent.leave())

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(SECONDS)


class Devices:
    def __init__(self, loop: asyncio.AbstractEventLoop, url: str) -> None:
        self._loop = loop
        self._url = url
        self._all: list[Device] = []

    def new(self, **fields: Any) -> Device:
        """Connect; `fields` are added to the hello message."""
        self._all.append(Device(self._loop, Agent(self._url, **fields)))
        return self._all[-1]

    def leave(self) -> None:
        for device in self._all:
            if hasattr(device.agent, "socket"):
                device.leave()


@contextmanager
def devices_of(url: str) -> Iterator[Devices]:
    """Run the devices in their own thread, because the browser blocks the test's thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    devices = Devices(loop, url)
    try:
        yield devices
    finally:
        devices.leave()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def sign_in_at(server: Server) -> SignIn:
    body = {"password": PASSWORD}
    return lambda request: request.post(f"{server.url}/api/login", data=body)
