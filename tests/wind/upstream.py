"""Weather services on loopback: files made by the demo weather, and whatever can go wrong."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from aiohttp import web

from quartet.wind.demo.mirror import files_of
from quartet.wind.models.catalogue import MODELS
from quartet.wind.models.types import Model
from tests.real_servers import free_port

# A time at which every model has a run; midnight of a day in May.
RUN = 1_778_544_000
HOUR = 3600

Fault = Callable[[web.Request], Awaitable[web.StreamResponse]]


def short(model_id: str, steps: tuple[int, ...] = (0, 1, 2, 3)) -> Model:
    """A model whose runs have a few steps only."""
    model = next(each for each in MODELS if each.id == model_id)
    return replace(model, steps=lambda _hour: steps)


def publish(folder: Path, model: Model, run: int = RUN) -> None:
    for batch in model.upstream.batches(run, model.steps_of(run)):
        for path, content in files_of(model, run, batch, "tiny"):
            target = folder / model.provider / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


@dataclass
class Clock:
    """Stands still unless somebody sleeps."""

    now: float
    naps: int = 0
    on_nap: Callable[[], None] = field(default=lambda: None)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.naps += 1
        self.on_nap()


@dataclass
class Provider:
    """`faults` answer instead of the file whose path ends with their key."""

    address: str
    folder: Path
    faults: dict[str, Fault] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path)
        for end, fault in self.faults.items():
            if request.path.endswith(end):
                return await fault(request)
        path = self.folder / request.path.lstrip("/")
        if not path.is_file():
            raise web.HTTPNotFound
        return web.FileResponse(path)


@asynccontextmanager
async def provider(folder: Path) -> AsyncIterator[Provider]:
    port = free_port()
    served = Provider(f"http://127.0.0.1:{port}", folder)
    app = web.Application()
    app.router.add_get("/{path:.*}", served.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield served
    finally:
        await runner.cleanup()
