import asyncio
import shutil
from contextlib import ExitStack
from pathlib import Path

import msgspec

from quartet.kernel.events import Event, Frame, Subscription
from tests.real_servers import accepts, free_port, running


class Note(Event, frozen=True, tag="note.added"):
    note_id: int
    text: str = ""


async def take(events: Subscription, count: int) -> list[Frame]:
    async with asyncio.timeout(60):
        return [await anext(events) for _ in range(count)]


def notes(frames: list[Frame]) -> list[int]:
    return [msgspec.json.decode(frame.data, type=Note).note_id for frame in frames]


class RestartableRedis:
    """A Redis server that can stop and restart at the same address."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self._stack = ExitStack()
        self.url = f"redis://127.0.0.1:{self._port}/0"

    def start(self) -> None:
        program = shutil.which("redis-server") or "valkey-server"
        options = f"--port {self._port} --bind 127.0.0.1 --dir {self._folder} --save"
        command = [program, *options.split(), ""]
        self._stack.enter_context(running(command, lambda: accepts(self._port)))

    def stop(self) -> None:
        self._stack.close()
