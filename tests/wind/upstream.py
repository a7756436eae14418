"""Imitations of the weather services: files of the demo weather, with faults on request."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from pathlib import Path
from urllib.parse import quote

import pytest
from aiohttp import web

from quartet.wind.demo.fields import CellPlace
from quartet.wind.demo.members import member_files
from quartet.wind.demo.mirror import files_of
from quartet.wind.grid.geometry import Grid
from quartet.wind.models.catalogue import ALL_MODELS, MODELS
from quartet.wind.models.types import Model
from tests.local_server import local_server

# Midnight of a day in May, at which every model has a run.
RUN = 1_778_544_000
HOUR = 3600
# One model of each provider; the others run at night.
TYPICAL = ("icon-d2", "arome", "ecmwf", "gfs")
EACH_MODEL = [
    model.id if model.id in TYPICAL else pytest.param(model.id, marks=pytest.mark.nightly)
    for model in MODELS
]

Fault = Callable[[web.Request], Awaitable[web.StreamResponse]]


def short(model_id: str, steps: tuple[int, ...] = (0, 1, 2, 3)) -> Model:
    """A model whose runs have a few steps only."""
    model = next(each for each in ALL_MODELS if each.id == model_id)
    return replace(model, steps=lambda _hour: steps)


def publish(
    folder: Path, model: Model, run: int = RUN, place: Grid | CellPlace | None = None
) -> None:
    for batch in model.upstream.batches(run, model.steps_of(run)):
        if model.is_ensemble:
            files = member_files(model, run, batch[0], "tiny", place)
        else:
            files = files_of(model, run, batch, "tiny", place)
        for path, content in files:
            write(folder / model.provider / path, content)


def write(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)


@dataclass
class Clock:
    """A clock that advances only when code sleeps; setting it does not change `elapsed`."""

    now: float
    elapsed: float = 0
    naps: int = 0
    on_nap: Callable[[], None] = field(default=lambda: None)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.elapsed += seconds
        self.naps += 1
        self.on_nap()


@dataclass
class Provider:
    """`faults` answer instead of a file whose path ends with their key.

    Answers carry the time of `clock`.
    """

    address: str
    folder: Path
    clock: Callable[[], float] = time.time
    faults: dict[str, Fault] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    # Paths of files, each with its range, and their bytes; without listings.
    files: list[str] = field(default_factory=list)
    sent: int = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path)
        for end, fault in self.faults.items():
            if request.path.endswith(end):
                return await fault(request)
        path = self.folder / request.path.lstrip("/")
        if path.is_dir() and request.path.endswith("/"):
            return web.Response(text=html_index(path), content_type="text/html")
        if not path.is_file():
            raise web.HTTPNotFound
        # An unchanged file is not sent again.
        if "If-None-Match" not in request.headers:
            self.files.append(f"{request.path} {request.headers.get('Range', '')}")
            self.sent += len(range(path.stat().st_size)[request.http_range])
        return web.FileResponse(path)


def html_index(folder: Path) -> str:
    """A folder listing as DWD's web server makes it."""
    names = sorted(f"{each.name}/" if each.is_dir() else each.name for each in folder.iterdir())
    links = (
        f'<a href="{quote(name, safe="/")}">{name}</a>    17-Nov-2026 08:44    1234'
        for name in names
    )
    head = (
        f'<html><head><title>Index of {folder.name}</title></head><body><pre><a href="../">../</a>'
    )
    return "\n".join([head, *links, "</pre></body></html>"])


@asynccontextmanager
async def provider(folder: Path) -> AsyncIterator[Provider]:
    served = Provider("", folder)
    app = web.Application()
    app.router.add_get("/{path:.*}", served.answer)

    async def date(_request: web.Request, response: web.StreamResponse) -> None:
        response.headers["Date"] = formatdate(served.clock(), usegmt=True)

    app.on_response_prepare.append(date)
    async with local_server(app) as served.address:
        yield served
