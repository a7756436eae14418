"""Plugins as a user would write them, and a hoster on loopback."""

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
from quartet.downloads.hosters.calls import PluginCalls
from quartet.downloads.hosters.cookie_jars import CookieJars
from quartet.downloads.hosters.errors import Temporary
from quartet.downloads.hosters.loader import PluginLoader
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.questions import CaptchaKind, QuestionContext, Questions
from quartet.downloads.hosters.workers import Workers
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.startup import open_kernel
from quartet.kernel.vault import Vault
from tests.client import Client
from tests.databases import put_empty_database
from tests.local_server import local_server

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
LINK = "https://demo.invalid/f/one"


def plugin_text(*parts: str, id: str = "demo") -> str:
    """Return a plugin with these lines in its class."""
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
    """Write the addresses of the hosters to the plugin settings."""
    folder = data / "plugins"
    folder.mkdir(parents=True, exist_ok=True)
    tables = [f'[{id}]\nbase = "{base}"\n' for id, base in bases.items()]
    (folder / "settings.toml").write_text("\n".join(tables))


class NoAnswers:
    """A user who does not answer."""

    async def captcha(self, kind: CaptchaKind, *, about: QuestionContext, **_: Any) -> str:
        raise Temporary

    async def captcha_refused(self, about: QuestionContext) -> None:
        pass

    async def password(self, link: str, *, wrong: bool, about: QuestionContext) -> str:
        raise Temporary


@dataclass
class Bench:
    """Plugin calls without a server."""

    calls: PluginCalls
    workers: Workers
    data: Path
    cookie_jars: CookieJars = field(repr=False)

    async def plugin(self, text: str, **options: Any) -> Plugin:
        put_plugin(self.data, text, **options)
        loaded = await PluginLoader(self.data / "plugins", self.workers).load_all()
        assert not loaded.errors, loaded.errors
        return loaded.plugins["demo"]


@asynccontextmanager
async def threads_end() -> AsyncIterator[None]:
    """Wait for plugin threads, because a busy one would slow down the following tests."""
    before = set(threading.enumerate())
    yield
    async with asyncio.timeout(60):
        while {each for each in threading.enumerate() if "plugin" in each.name} - before:
            await asyncio.sleep(0.02)


@asynccontextmanager
async def bench(
    data: Path, *, seconds: float = 20.0, ask: Questions | None = None, most_stuck: int = 3
) -> AsyncIterator[Bench]:
    settings = DownloadsSettings(data=data, allow_private_addresses=True)
    put_empty_database(data, SERVICE.history)
    kernel = open_kernel(SERVICE, settings)
    workers = Workers(grace=0.1, most_stuck=most_stuck)
    jars = CookieJars(kernel.db, Vault(data / "keys"))
    try:
        yield Bench(
            PluginCalls(kernel, workers, jars, ask or NoAnswers(), seconds), workers, data, jars
        )
    finally:
        await kernel.close()


@asynccontextmanager
async def imitation(routes: Mapping[str, Handler]) -> AsyncIterator[str]:
    """Start a hoster on loopback; a route is a method and a path, such as `GET /api/user`."""
    app = web.Application()
    for route, handler in routes.items():
        method, path = route.split(" ")
        app.router.add_route(method, path, handler)
    async with local_server(app) as address:
        yield address


async def accounts(client: Client) -> list[dict[str, Any]]:
    answer = await client.get("/api/accounts")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found


async def until_checked(client: Client) -> list[dict[str, Any]]:
    async with asyncio.timeout(60), client.started.kernel.events.subscribe() as events:
        while True:
            shown = await accounts(client)
            if all(each["status"] not in ("unchecked", "checking") for each in shown):
                return shown
            async for frame in events:
                if frame.type == "changed":
                    break


async def add_account(client: Client, plugin: str, secret: str, **more: Any) -> int:
    body = {"pluginId": plugin, "secret": secret, **more}
    answer = await client.post("/api/accounts", json=body)
    assert answer.status_code == 200, answer.text
    id: int = answer.json()["id"]
    return id
