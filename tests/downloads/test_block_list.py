"""The block list of torrents that is downloaded."""

import asyncio
import gzip
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from zipfile import ZipFile

import pytest
from aiohttp import web

from quartet.downloads.bittorrent.address_filter import read_block_list
from quartet.downloads.bittorrent.block_list import (
    DAY_SECONDS,
    RETRY_SECONDS,
    BlockListDownload,
)
from quartet.downloads.settings import DownloadsSettings, prepare
from quartet.kernel.errors import Problem
from quartet.kernel.settings import SettingsError
from tests.client import Client
from tests.downloads.api_calls import packages
from tests.downloads.conftest import logged_in
from tests.downloads.plugins import imitation
from tests.waiting import pauses

pytestmark = pytest.mark.anyio

RANGES = b"some:1.2.3.4-1.2.3.9\nother:5.6.7.8-5.6.7.9\n"


class ListServer:
    def __init__(self) -> None:
        self.content = RANGES
        self.status = 200
        self.asked: list[str] = []

    async def answer(self, request: web.Request) -> web.Response:
        self.asked.append(request.headers.get("If-None-Match", "-"))
        etag = f'"{hash(self.content)}"'
        if self.status == 200 and self.asked[-1] == etag:
            return web.Response(status=304)
        body = self.content if self.status == 200 else b""
        return web.Response(body=body, status=self.status, headers={"ETag": etag})


@asynccontextmanager
async def served(data: Path, server: ListServer) -> AsyncIterator[tuple[Client, BlockListDownload]]:
    async with imitation({"GET /list": server.answer}) as base:
        url = f"{base}/list?key=secret"
        async with logged_in(data, torrent_block_list_url=url) as client:
            async with asyncio.timeout(60):
                for pause in pauses():
                    if (data / "block-list.json").exists():
                        break
                    await asyncio.sleep(pause)
            yield client, BlockListDownload(client.started.kernel, data / "block-list")


def zipped(content: bytes) -> bytes:
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr("readme.txt", "hello")
        archive.writestr("ipfilter.p2p", content)
    return file.getvalue()


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zipped], ids=["plain", "gzip", "zip"])
async def test_list_is_downloaded_when_the_service_starts(tmp_path: Path, pack: object) -> None:
    server = ListServer()
    assert callable(pack)
    server.content = pack(RANGES)
    async with served(tmp_path, server) as (client, download):
        ranges = read_block_list(tmp_path / "block-list")
        assert [each.first for each in ranges] == ["1.2.3.4", "5.6.7.8"]
        assert DAY_SECONDS - 60 < download.seconds_left() <= DAY_SECONDS
        assert await packages(client) == []
    assert server.asked == ["-"]


async def test_list_is_requested_again_only_if_it_has_changed(tmp_path: Path) -> None:
    server = ListServer()
    async with served(tmp_path, server) as (_, download):
        await download.refresh()
        server.content = RANGES.replace(b"1.2.3.4", b"1.1.1.1")
        await download.refresh()
        assert read_block_list(tmp_path / "block-list")[0].first == "1.1.1.1"
    assert server.asked[0] == "-"
    assert len(set(server.asked[1:])) == 1


async def test_old_list_stays_while_the_server_fails(tmp_path: Path) -> None:
    server = ListServer()
    async with served(tmp_path, server) as (_, download):
        for server.content, server.status, reason in (
            (RANGES, 404, "HTTP 404"),
            (b"<html>Log in</html>", 200, "bad_answer"),
            (gzip.compress(RANGES)[:30], 200, "bad_answer"),
        ):
            await download.refresh()
            problem = Problem("block_list_failed", {"address": "127.0.0.1", "reason": reason})
            assert [each.problem for each in await download.check()] == [problem]
            assert 0 < download.seconds_left() <= RETRY_SECONDS
            assert len(read_block_list(tmp_path / "block-list")) == 2
        server.content = RANGES
        await download.refresh()
        assert list(await download.check()) == []
    assert "secret" not in (tmp_path / "block-list.json").read_text()


def test_setting_names_one_list_with_a_valid_address(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="must start with"):
        prepare(DownloadsSettings(torrent_block_list_url="list.example"))
    both = DownloadsSettings(
        torrent_block_list_url="https://list.example", torrent_block_list=tmp_path
    )
    with pytest.raises(SettingsError, match="only one"):
        prepare(both)
