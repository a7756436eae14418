import asyncio
from pathlib import Path

from msgspec.structs import replace

from quartet.sync.agent.client import Client
from quartet.sync.agent.desk import Desk
from quartet.sync.agent.errors import AgentError
from quartet.sync.agent.paths import Grounds
from quartet.sync.agent.store import Joined, Store
from quartet.sync.config.types.devices import Kind
from quartet.sync.demo.files import LIST
from quartet.sync.engine import Engine, provide
from quartet.sync.engine.together import together


class DemoDevice:
    """What `quartet agent run` is on a real device, here as one more loop of the server."""

    def __init__(self, name: str, kind: Kind, home: Path, server: str) -> None:
        self.name = name
        self.kind = kind
        self.files = home / "files"
        self._agent = home / "agent"
        self._server = server
        self._joined = asyncio.Event()

    def has_list(self) -> bool:
        return (self.files / "Notes" / LIST).exists()

    def has_conflict(self) -> bool:
        return any(self.files.glob("Notes/*.sync-conflict-*"))

    def join(self, code: str) -> None:
        Store(self._agent).join(Joined(self._server, code=code))
        self._joined.set()

    async def run(self) -> None:
        """From the moment it has joined, at this start or an earlier one."""
        store = Store(self._agent)
        try:
            # The server may have another port than last time.
            store.join(replace(store.joined(), server=self._server))
        except AgentError:
            await self._joined.wait()
        desk = Desk(store, Grounds([self.files], self.files.parent, self._agent))
        program = await provide(None, self._agent / "programs")
        engine = Engine(program, self._agent / "engine", on_status=desk.folder_changed)
        try:
            await engine.start()
            desk.serve(engine)
            await together(engine.run(), Client(store, engine, desk).run())
        finally:
            await asyncio.shield(engine.stop())
