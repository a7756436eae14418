"""Base classes of the imitations, and a plugin running against one of them."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import aiohttp
import pytest
from aiohttp import web

from quartet.downloads.hosters.calls import PluginCalls
from quartet.downloads.hosters.loader import PluginLoader
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.questions import CaptchaKind, QuestionContext
from quartet.downloads.hosters.sdk import (
    Account,
    AccountState,
    Checked,
    File,
    Folder,
    PluginError,
    Temporary,
)
from tests.downloads.plugins import Handler, bench, imitation

DATA = b"quartet!" * 5000


class Site(ABC):
    plugin: str
    file_link: str
    folder_link: str | None = None
    account: Account | None = None
    base = ""

    @abstractmethod
    def routes(self) -> dict[str, Handler]: ...

    def settings(self) -> dict[str, str]:
        return {"base": self.base}

    async def file(self, request: web.Request) -> web.Response:
        return web.Response(body=DATA, content_type="application/octet-stream")


class Bearer(Site):
    """Requires the account's key with each call."""

    def refused(self, request: web.Request) -> bool:
        assert self.account
        return request.headers.get("Authorization") != f"Bearer {self.account.secret}"


@dataclass
class FakeUser:
    """Gives prepared answers as long as there are any."""

    answers: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    images: list[bytes] = field(default_factory=list)

    # How many answers to captchas were refused.
    refused: int = 0

    async def captcha(
        self,
        kind: CaptchaKind,
        *,
        site_key: str = "",
        image: bytes | None = None,
        wrong: bool = False,
        **_: Any,
    ) -> str:
        self.images += [image] if image else []
        return self._next(f"{'wrong ' if wrong else ''}{kind} {site_key}".strip())

    async def captcha_refused(self, about: QuestionContext) -> None:
        self.refused += 1

    async def password(self, link: str, *, wrong: bool, about: QuestionContext) -> str:
        return self._next("wrong password" if wrong else "password")

    def _next(self, asked: str) -> str:
        self.asked.append(asked)
        if not self.answers:
            raise Temporary
        return self.answers.pop(0)


S = TypeVar("S", bound=Site)


@dataclass
class PluginTrial(Generic[S]):
    site: S
    calls: PluginCalls
    plugin: Plugin
    user: FakeUser

    async def check(self, link: str | None = None) -> Checked:
        return await self.calls.check(self.plugin, self.plugin.link(link or self.site.file_link))

    async def crawl(
        self, link: str | None = None, account: Account | None = None, password: str | None = None
    ) -> Folder:
        asked = link or self.site.folder_link or ""
        assert self.plugin.is_folder(asked)
        found = await self.calls.crawl(self.plugin, self.plugin.link(asked), account, password)
        return found.value

    async def resolve(
        self, link: str | None = None, account: Account | None = None, password: str | None = None
    ) -> File:
        asked = self.plugin.link(link or self.site.file_link)
        return (await self.calls.resolve(self.plugin, asked, account, password)).value

    async def with_account(self) -> File:
        return await self.resolve(account=self.site.account)

    async def check_account(self, account: Account | None = None) -> AccountState:
        known = account or self.site.account
        assert known
        return await self.calls.check_account(self.plugin, known)

    async def supported(self) -> list[str]:
        assert self.site.account
        return await self.calls.supported(self.plugin, self.site.account)


async def bytes_of(file: File) -> bytes:
    """Fetch the file as the queue would."""
    async with (
        aiohttp.ClientSession(
            headers=file.headers,
            cookies=file.cookies,
            cookie_jar=aiohttp.CookieJar(unsafe=True),
        ) as session,
        session.get(file.url) as answer,
    ):
        assert answer.status == 200
        return await answer.read()


async def refusal(call: Coroutine[Any, Any, object]) -> PluginError:
    with pytest.raises(PluginError) as caught:
        await call
    return caught.value


def text_of(error: PluginError) -> str:
    assert error.problem
    return str(error.problem.inputs.get("en", error.problem.code))


def write_settings(data: Path, *sites: Site) -> None:
    folder = data / "plugins"
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    for site in sites:
        lines.append(f'["{site.plugin}"]')
        lines += [f'{key} = "{value}"' for key, value in site.settings().items()]
    (folder / "settings.toml").write_text("\n".join(lines))


@asynccontextmanager
async def plugin_trial(data: Path, site: S) -> AsyncIterator[PluginTrial[S]]:
    async with imitation(site.routes()) as site.base:
        write_settings(data, site)
        user = FakeUser()
        async with bench(data, ask=user) as there:
            loaded = await PluginLoader(data / "plugins", there.workers).load_all()
            assert not loaded.errors, loaded.errors
            yield PluginTrial(site, there.calls, loaded.plugins[site.plugin], user)
