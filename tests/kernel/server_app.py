"""A test process that runs one or more small live services, configured by one JSON argument.

Prints its ports as one line of JSON when all listen, and writes a file for each application that
has shut down.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from litestar import Litestar, Request, WebSocket, get, post
from litestar.handlers import websocket as websocket_route
from litestar.params import FromQuery

from quartet.kernel.events import Event, EventHub, EventStream, backend_from_url, sse
from quartet.kernel.server import ServedApp, Stop, run
from quartet.kernel.supervisor import Fatal, Supervisor, every


class Tick(Event, frozen=True, tag="tick"):
    filler: str = ""


async def tell(hub: EventHub, socket: WebSocket[Any, Any, Any]) -> None:
    await socket.accept()
    async with hub.subscribe() as events:
        async for frame in events:
            await socket.send_text(frame.data)
    await socket.close(1012)


def build(name: str, options: dict[str, Any], stop: Stop) -> tuple[Litestar, EventHub]:
    folder = Path(options["folder"])
    hub = EventHub(backend_from_url(options.get("events"), f"server_{name}"))
    supervisor = Supervisor(stop.request)
    doomed = asyncio.Event()

    @get("/events")
    async def events(request: Request[Any, Any, Any]) -> EventStream:
        return sse(hub, request)

    @websocket_route("/ws")
    async def socket(socket: WebSocket[Any, Any, Any]) -> None:
        await tell(hub, socket)

    @post("/publish")
    async def publish(filler: FromQuery[int] = 0) -> None:
        hub.publish(Tick("x" * filler))

    @get("/streams")
    async def streams() -> int:
        return hub.streams

    @get("/slow")
    async def slow(seconds: FromQuery[float]) -> str:
        # Subscribed, so that the number of streams shows that the handler has started.
        async with hub.subscribe():
            await asyncio.sleep(seconds)
        return "done"

    @post("/doom")
    async def doom() -> None:
        doomed.set()

    async def watch() -> None:
        await doomed.wait()
        raise Fatal(7, "disk_full")

    @asynccontextmanager
    async def life(_app: Litestar) -> AsyncIterator[None]:
        if name == options.get("fails"):
            raise RuntimeError("cannot start")
        await hub.start()
        await supervisor.start([every(60, watch, name="watch")])
        yield
        await asyncio.sleep(options.get("linger", 0))
        await supervisor.stop()
        await hub.stop()
        (folder / name).write_text("stopped")

    routes = [events, socket, publish, streams, slow, doom]
    return Litestar(routes, lifespan=[life], openapi_config=None, logging_config=None), hub


def main(options: dict[str, Any]) -> int:
    stop = Stop()
    apps: list[ServedApp] = []
    for name in options["apps"]:
        app, hub = build(name, options, stop)
        host, port = options.get("host", "127.0.0.1"), options.get("port", 0)
        apps.append(ServedApp(name, app, host, port, before_stop=hub.close))
        if options.get("second"):
            apps.append(ServedApp(f"{name} again", app, host, lifespan=False))

    def ready(listening: Any) -> None:
        sys.stdout.write(json.dumps({each.name: each.port for each in listening}) + "\n")
        sys.stdout.flush()

    return run(apps, ready=ready, stop=stop)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
