"""A sync server on a real port, with a signed-in admin."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import text

from quartet.kernel.server import ServedApp, Stop, serve
from quartet.kernel.startup import StartedService, start
from quartet.sync.agents.types import Limits
from quartet.sync.app import LIMITS, SERVICE, build
from quartet.sync.login import store
from tests.client import NO_AUTHORITIES
from tests.database_backend import database_settings
from tests.sync.agent import Agent
from tests.waiting import pauses

PASSWORD = "correct horse"
SECONDS = 60.0


@dataclass
class RunningApp:
    url: str
    started: StartedService[Any]
    admin: httpx.AsyncClient
    agents: list[Agent] = field(default_factory=list)

    def agent(self, **fields: Any) -> Agent:
        self.agents.append(Agent(self.url, **fields))
        return self.agents[-1]

    async def code(self, name: str | None = None) -> str:
        body = {} if name is None else {"name": name}
        code: str = (await self.post("/api/enrollments", body))["code"]
        return code

    async def device(self, **fields: Any) -> tuple[int, Agent]:
        """Return a connected device that joined with a pairing code."""
        agent = self.agent(**fields)
        return await agent.join(await self.code()), agent

    async def folder(self, label: str = "Photos", **fields: Any) -> dict[str, Any]:
        answer: dict[str, Any] = await self.post("/api/folders", {"label": label, **fields})
        return answer

    async def share(self, folder: int, device: int, path: str, mode: str = "both") -> int:
        row = {"folderId": folder, "deviceId": device, "mode": mode, "path": path}
        revision: int = (await self.post("/api/shares", {"changes": [row]}))["revision"]
        return revision

    async def get(self, path: str, /, **query: Any) -> Any:
        answer = await self.admin.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def post(self, path: str, body: Any = None) -> Any:
        answer = await self.admin.post(path, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    async def refused(self, method: str, path: str, **options: Any) -> tuple[int, str]:
        answer = await self.admin.request(method, path, **options)
        return answer.status_code, answer.json()["code"]

    async def overview(self) -> dict[str, Any]:
        found: dict[str, Any] = await self.get("/api/overview")
        return found

    async def shown(self, device_id: int) -> dict[str, Any]:
        devices = (await self.overview())["devices"]
        found: dict[str, Any] = next(each for each in devices if each["id"] == device_id)
        return found


@asynccontextmanager
async def running_app(
    data: Path, limits: Limits | None = None, **settings: Any
) -> AsyncIterator[RunningApp]:
    """Run the server without a hub."""
    # No hub engine, but its folders on the disk.
    made = partial(build, limits=limits or LIMITS, owner=True)
    service = replace(SERVICE, build=made)
    given = database_settings(service, data) if "database_url" not in settings else {}
    settings = {**given, **settings}
    started = start(service, service.settings(data=data, hub=False, **settings))
    if given:
        take_password(started, data)
    stop, ready = Stop(), asyncio.get_running_loop().create_future()
    served = ServedApp("sync", started.app, before_stop=started.kernel.events.close)
    server = asyncio.create_task(
        serve([served], ready=lambda listening: ready.set_result(listening[0].port), stop=stop)
    )
    url = f"http://127.0.0.1:{await ready}"
    app = RunningApp(
        url, started, httpx.AsyncClient(base_url=url, verify=NO_AUTHORITIES, timeout=30)
    )
    try:
        answer = await app.admin.post("/api/login", json={"password": PASSWORD})
        app.admin.headers["x-csrf-token"] = answer.json()["csrfToken"]
        if "public_url" in settings:
            # A public address with https makes the cookie secure: httpx would not send it to http.
            [(name, value)] = answer.cookies.items()
            app.admin.headers["cookie"] = f"{name}={value}"
        yield app
    finally:
        for agent in app.agents:
            if hasattr(agent, "socket"):
                await agent.leave()
        await app.admin.aclose()
        stop.request()
        assert await server == 0


def take_password(started: StartedService[Any], data: Path) -> None:
    """Copy the password hash from the SQLite file, because hashing takes a second."""
    with closing(sqlite3.connect(data / "sync.sqlite3")) as conn:
        [hashed] = conn.execute("SELECT password_hash FROM admin").fetchone()
    started.kernel.db.write_sync(lambda tx: store.set_password_hash(tx.conn, hashed))


@contextmanager
def without_table(app: RunningApp, name: str) -> Iterator[None]:
    """Rename a table, so that writes to it fail as on a full disk."""
    db = app.started.kernel.db

    def rename(before: str, after: str) -> None:
        db.write_sync(lambda tx: tx.conn.execute(text(f"ALTER TABLE {before} RENAME TO {after}")))

    rename(name, f"{name}_away")
    try:
        yield
    finally:
        rename(f"{name}_away", name)


async def until(check: Callable[[], Awaitable[Any]]) -> Any:
    """Wait until `check` returns a true value, and return it."""
    pause = pauses()
    async with asyncio.timeout(SECONDS):
        while not (found := await check()):
            await asyncio.sleep(next(pause))
    return found
