import asyncio
from pathlib import Path

from msgspec.structs import replace

from quartet.sync.agent.applier import DesiredStateApplier
from quartet.sync.agent.client import Client
from quartet.sync.agent.errors import AgentError
from quartet.sync.agent.paths import PathPolicy
from quartet.sync.agent.store import JoinedServer, Store
from quartet.sync.config.types.devices import Kind
from quartet.sync.demo.files import LIST
from quartet.sync.engine import Engine, find_or_download
from quartet.sync.engine.concurrency import run_until_first_exit


class DemoDevice:
    """A device of the demo: the same as `quartet agent run`, but inside the server process."""

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
        Store(self._agent).join(JoinedServer(self._server, code=code))
        self._joined.set()

    async def run(self) -> None:
        """Run the agent after the device has joined, in this process or an earlier one."""
        store = Store(self._agent)
        try:
            # The server's port may have changed since the last start.
            store.join(replace(store.joined(), server=self._server))
        except AgentError:
            await self._joined.wait()
        home = self.files.parent
        policy = PathPolicy([home], home, self._agent)
        applier = DesiredStateApplier(store, lambda: policy)
        program = await find_or_download(None, self._agent / "programs", self._agent / "engine")
        engine = Engine(
            program, self._agent / "engine", on_status=applier.folder_changed, completions=True
        )
        try:
            await engine.start()
            applier.attach(engine)
            await run_until_first_exit(engine.run(), Client(store, engine, applier).run())
        finally:
            await asyncio.shield(engine.stop())
