"""Which background tasks run in which process, and how one process wakes another."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar

from quartet.cli import main
from quartet.kernel.events import Resync, Signal
from quartet.kernel.service import BuiltService, Kernel, Service
from quartet.kernel.settings import Role, Settings
from quartet.kernel.startup import StartedService, start
from quartet.kernel.supervisor import BackgroundTask, every
from quartet.services import service

pytestmark = pytest.mark.anyio

ENOUGH = 20


class Ran:
    """Counts how often each task started."""

    def __init__(self) -> None:
        self.changed = asyncio.Condition()
        self.begun: list[str] = []

    def run(self, name: str) -> Callable[[], Any]:
        async def begin() -> None:
            async with self.changed:
                self.begun.append(name)
                self.changed.notify_all()

        return begin

    async def times(self, name: str, count: int) -> None:
        async with asyncio.timeout(ENOUGH), self.changed:
            await self.changed.wait_for(lambda: self.begun.count(name) >= count)


async def reject(_connection: object) -> None:
    return None


@asynccontextmanager
async def process(
    folder: Path, ran: Ran, role: Role = "all", **settings: Any
) -> AsyncIterator[StartedService[Settings]]:
    def build(_kernel: Kernel[Settings]) -> BuiltService:
        loops = [
            BackgroundTask("shown", ran.run("shown"), everywhere=True),
            BackgroundTask("done", ran.run("done")),
            every(3600, ran.run("led"), name="led", exclusive="work"),
        ]
        return BuiltService(routes=[], authenticate=reject, background_tasks=loops)

    example = Service(
        name="wind",
        prefix="X_",
        settings=Settings,
        history=service("wind").history,
        build=build,
        welcome=lambda _kernel: "",
    )
    started = start(example, Settings(data=folder, role=role, **settings))
    app = started.app.app
    assert isinstance(app, Litestar)
    async with app.lifespan():
        yield started


async def test_single_process_runs_all_tasks(tmp_path: Path) -> None:
    ran = Ran()
    async with process(tmp_path, ran):
        for name in ("shown", "done", "led"):
            await ran.times(name, 1)


async def test_web_process_runs_only_tasks_for_every_process(
    tmp_path: Path, postgres_url: str
) -> None:
    web, worker = Ran(), Ran()
    async with (
        process(tmp_path / "web", web, "web", database_url=postgres_url),
        process(tmp_path / "worker", worker, "worker", database_url=postgres_url),
    ):
        for name in ("shown", "done", "led"):
            await worker.times(name, 1)
        await web.times("shown", 1)
        assert web.begun == ["shown"]


async def test_wake_task_reaches_other_process(
    tmp_path: Path, postgres_url: str, redis_url: str
) -> None:
    ran, shared = Ran(), {"database_url": postgres_url, "redis_url": redis_url}
    async with (
        process(tmp_path / "web", Ran(), "web", **shared) as web,
        process(tmp_path / "worker", ran, "worker", **shared),
    ):
        await ran.times("led", 1)
        web.kernel.wake_task("led")
        await ran.times("led", 2)
        # Waking an unknown task is ignored.
        web.kernel.wake_task("nothing")


async def test_signals_are_not_sent_to_browsers(tmp_path: Path) -> None:
    signals: list[str] = []
    async with process(tmp_path, Ran()) as started:
        hub = started.kernel.events
        hub.on("news", signals.append)
        async with hub.subscribe() as browser:
            hub.publish(Signal("news", "rain"))
            hub.publish(Signal("other", "sun"))
            # After a resync, signal handlers are called too, as signals may have been lost.
            hub.publish(Resync())
            async with asyncio.timeout(ENOUGH):
                frame = await anext(browser)
    assert frame.type == "resync"
    assert signals == ["rain", ""]


def test_service_without_roles_rejects_role(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", "media", "--role", "web"], prog_name="quartet")
    assert ended.value.code == 2
    assert "media does not support the role web" in capsys.readouterr().err


def test_several_processes_require_shared_services(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["wind", "worker"], prog_name="quartet")
    assert ended.value.code == 2
    assert "database_url and redis_url and s3_url" in capsys.readouterr().err
