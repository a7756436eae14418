"""Media sites, through yt-dlp: a page is crawled for videos, and each becomes a file."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from quartet.downloads.hosters.builtin._folders import folder_of
from quartet.downloads.hosters.builtin._responses import UNEXPECTED, KnownError, converted
from quartet.downloads.hosters.builtin.ytdlp.child import ask
from quartet.downloads.hosters.builtin.ytdlp.sites import knows
from quartet.downloads.hosters.plugin_types import Address, Name, Size
from quartet.downloads.hosters.sdk import (
    Checked,
    Context,
    Fatal,
    File,
    FileLink,
    Folder,
    Hoster,
    HosterLimit,
    Link,
    Offline,
    Program,
    Temporary,
    Text,
)

PROGRAM = [sys.executable, "-I", str(Path(__file__).with_name("program.py"))]
_HEIGHTS = ("best", "audio", "4320", "2160", "1440", "1080", "720", "480", "360", "240")
_FORMAT = Text(
    de="Bild und Ton gibt es nur getrennt, und ffmpeg zum Zusammenfügen fehlt.",
    en="Picture and sound come apart, and ffmpeg, which joins them, is missing.",
)
# A playlist of HLS or DASH, which needs no page.
_STREAM = re.compile(r"^https?://[^#]+#media$", re.IGNORECASE)
_ERRORS: dict[str, KnownError] = {
    "offline": KnownError(Offline),
    "slower": KnownError(HosterLimit, seconds=600),
    "format": KnownError(Fatal, _FORMAT),
}


class _YtDlpEntry(msgspec.Struct):
    url: Address
    title: str
    item: int | None = None


class _VideoList(msgspec.Struct):
    entries: list[_YtDlpEntry]
    title: str | None = None


class _YtDlpFound(msgspec.Struct):
    name: Name
    plain: bool
    url: Address | None = None
    headers: dict[str, str] = {}
    size: Size | None = None


class YtDlp(Hoster):
    id = "yt-dlp"
    name = "yt-dlp"
    version = "1.0"
    # A video that was found before, by its page or its number on the page. All other supported
    # links are pages, which are crawled first.
    matches = [r"(?P<page>https?://.+)#media(?::(?P<item>\d{1,5}))?$"]
    folders = [r"(?P<page>https?://(?!.*#media(?::\d{1,5})?$).+)"]
    # `quality` is a height, `best` or `audio`. Pages of `hosts`, separated by spaces, are searched
    # for videos although yt-dlp does not support them; they may be in the private network.
    settings = {"quality": "1080", "hosts": ""}

    def match(self, url: str) -> bool:
        # Called for every link, so the cheap tests come first. The page crawler marks streams.
        return (
            bool(_STREAM.search(url)) or knows(url) or (urlsplit(url).hostname or "") in self._hosts
        )

    @property
    def _hosts(self) -> list[str]:
        return self.settings["hosts"].lower().split()

    async def check(self, link: Link, ctx: Context) -> Checked:
        found = converted(await self._ask("find", link, ctx), _YtDlpFound)
        return Checked(online=True, name=found.name, size=found.size)

    async def crawl(self, link: Link, ctx: Context) -> Folder:
        listed = converted(await self._ask("list", link, ctx), _VideoList)
        return folder_of(map(_link, listed.entries), listed.title)

    async def resolve(self, link: Link, ctx: Context) -> File:
        found = converted(await self._ask("find", link, ctx), _YtDlpFound)
        if found.plain and found.url:
            return File(found.url, headers=found.headers, name=found.name, size=found.size)
        request = self._request("fetch", link, ctx)
        program = Program(PROGRAM, msgspec.json.encode(request).decode())
        return File(link.parts["page"], name=found.name, program=program)

    async def _ask(self, do: str, link: Link, ctx: Context) -> object:
        answer = await ask(PROGRAM, self._request(do, link, ctx) | {"proxy": ctx.proxy})
        if "result" in answer:
            return answer["result"]
        raise _plugin_error(answer.get("error"))

    def _request(self, do: str, link: Link, ctx: Context) -> dict[str, Any]:
        quality = self.settings["quality"].lower().removesuffix("p")
        return {
            "do": do,
            "url": link.parts["page"],
            "item": link.parts.get("item"),
            "quality": quality if quality in _HEIGHTS else "best",
            "trusted": [*self._hosts, *self._allowed(link, ctx)],
        }

    def _allowed(self, link: Link, ctx: Context) -> Sequence[str]:
        """Return the private addresses a stream may use; the address of a page is not enough."""
        page = urlsplit(link.parts["page"])
        if not page.path.lower().endswith((".m3u8", ".mpd")):
            return ()
        if isinstance(ctx.allow_private, bool):
            return (page.hostname or "",) if ctx.allow_private else ()
        return ctx.allow_private


def _link(entry: _YtDlpEntry) -> FileLink:
    number = f":{entry.item}" if entry.item else ""
    return FileLink(f"{entry.url}#media{number}", entry.title[:200] or None)


def _plugin_error(error: object) -> Exception:
    if not isinstance(error, dict):
        return UNEXPECTED.error()
    kind, said = str(error.get("kind")), str(error.get("text") or "")
    if kind in _ERRORS:
        return _ERRORS[kind].error()
    return (Fatal if kind == "final" else Temporary)(Text(de=said, en=said) if said else None)
