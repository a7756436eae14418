"""Plugins as a user would write them, and a hoster on loopback for them to ask."""

import asyncio
import textwrap
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from quartet.downloads.app import SERVICE
from quartet.downloads.hosters.ask import About, Ask, CaptchaKind
from quartet.downloads.hosters.calls import Calls
from quartet.downloads.hosters.errors import Temporary
from quartet.downloads.hosters.jars import Jars
from quartet.downloads.hosters.loading import Loading
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.workers import Workers
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.startup import open_kernel
from quartet.kernel.vault import Vault
from tests.client import Client
from tests.databases import put_empty_database

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
LINK = "https://demo.invalid/f/one"


def plugin_text(*parts: str, id: str = "demo") -> str:
    """A plugin with these lines in its class."""
    head = f"""
        import asyncio, time
        from quartet.downloads.hosters.sdk import *

        class Demo(Hoster):
            id = "{id}"
            name = "Demo"
            domains = ["demo.invalid"]
            matches = [r"https://demo\\.invalid/f/(?P<id>\\w+)"]
            settings = {{"base": ""}}
    """
    inside = [textwrap.indent(textwrap.dedent(part), "    ") for part in parts]
    return textwrap.dedent(head) + "\n".join(inside)


def put_plugin(data: Path, text: str, file: str = "demo.py", *, base: str = "") -> None:
    path = data / "plugins" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if base:
        put_settings(data, demo=base)


def put_settings(data: Path, **bases: str) -> None:
    """Where plugins find their hosters."""
    folder = data / "plugins"
    folder.mkdir(parents=True, exist_ok=True)
    tables = [f'[{id}]\nbase = "{base}"\n' for id, base in bases.items()]
    (folder / "settings.toml").write_text("\n".join(tables))


class Nobody:
    """Nobody is there to answer."""

    async def captcha(self, kind: CaptchaKind, *, about: About, **_: Any) -> str:
        raise Temporary

    async def password(self, link: str, *, wrong: bool, about: About) -> str:
        raise Temporary


@dataclass
class Bench:
    """Calls without a server around them."""

    calls: Calls
    workers: Workers
    data: Path
    jars: Jars = field(repr=False)

    async def plugin(self, text: str, **options: Any) -> Plugin:
        put_plugin(self.data, text, **options)
        loaded = await Loading(self.data / "plugins", self.workers).all()
        assert not loaded.errors, loaded.errors
        return loaded.plugins["demo"]


@asynccontextmanager
async def threads_end() -> AsyncIterator[None]:
    """Those of plugins that begin inside: a busy one would slow down every test that follows."""
    before = set(threading.enumerate())
    yield
    async with asyncio.timeout(20):
        while {each for each in threading.enumerate() if "plugin" in each.name} - before:
            await asyncio.sleep(0.02)


@asynccontextmanager
async def bench(
    data: Path, *, seconds: float = 20.0, ask: Ask | None = None, most_stuck: int = 3
) -> AsyncIterator[Bench]:
    settings = DownloadsSettings(data=data, allow_private_addresses=True)
    put_empty_database(data, SERVICE.history)
    kernel = open_kernel(SERVICE, settings)
    workers = Workers(grace=0.1, most_stuck=most_stuck)
    jars = Jars(kernel.db, Vault(data / "keys"))
    try:
        yield Bench(Calls(kernel, workers, jars, ask or Nobody(), seconds), workers, data, jars)
    finally:
        await kernel.close()


@asynccontextmanager
async def imitation(routes: Mapping[str, Handler]) -> AsyncIterator[str]:
    """A hoster on loopback; a route is a method and a path, such as `GET /api/user`."""
    app = web.Application()
    for route, handler in routes.items():
        method, path = route.split(" ")
        app.router.add_route(method, path, handler)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def accounts(client: Client) -> list[dict[str, Any]]:
    answer = await client.get("/api/accounts")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found


async def until_checked(client: Client) -> list[dict[str, Any]]:
    async with asyncio.timeout(20), client.started.kernel.events.subscribe() as news:
        while True:
            shown = await accounts(client)
            if all(each["status"] not in ("unchecked", "checking") for each in shown):
                return shown
            async for frame in news:
                if frame.type == "changed":
                    break


async def add_account(client: Client, plugin: str, secret: str, **more: Any) -> int:
    body = {"pluginId": plugin, "secret": secret, **more}
    answer = await client.post("/api/accounts", json=body)
    assert answer.status_code == 200, answer.text
    id: int = answer.json()["id"]
    return id
