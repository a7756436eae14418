"""The real yt-dlp, with pages on a loopback server."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.downloads.hosters.builtin.ytdlp.sites import knows
from quartet.downloads.hosters.sdk import Offline, Temporary
from tests.client import Client
from tests.downloads.api_calls import act, add, until, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.imitations.media import PIECES, MediaSite
from tests.downloads.imitations.site import (
    DATA,
    PluginTrial,
    bytes_of,
    plugin_trial,
    refusal,
    write_settings,
)
from tests.downloads.plugins import imitation
from tests.downloads.transfer.other_servers import http_proxy

pytestmark = pytest.mark.anyio

KNOWN = (
    "https://www.youtube.com/watch?v=abcdefghijk",
    "https://youtu.be/abcdefghijk",
    "https://www.youtube.com/playlist?list=PL4lCao7KL_QFVb7Iudeipvc2BCavECqzc",
    "https://vimeo.com/1234567",
    "https://x.com/someone/status/123456",
    "https://www.bbc.co.uk/iplayer/episode/b00yng5w/x",
)
UNKNOWN = (
    "https://example.com/file.zip",
    "https://archive.org/download/x/y.zip",
    "http://127.0.0.1/video.mp4",
    "https://youtube.com.example.com/watch?v=abcdefghijk",
)


@pytest.fixture
async def trial(tmp_path: Path) -> AsyncIterator[PluginTrial[MediaSite]]:
    async with plugin_trial(tmp_path, MediaSite()) as trial:
        yield trial


@pytest.fixture
async def site() -> AsyncIterator[MediaSite]:
    site = MediaSite()
    async with imitation(site.routes()) as site.base:
        yield site


@pytest.fixture
async def ada(site: MediaSite, tmp_path: Path) -> AsyncIterator[Client]:
    write_settings(tmp_path, site)
    async with logged_in(tmp_path) as client:
        yield client


def test_supported_links() -> None:
    assert [url for url in KNOWN if not knows(url)] == []
    assert [url for url in UNKNOWN if knows(url)] == []


@pytest.mark.nightly
async def test_page_is_crawled_for_videos(trial: PluginTrial[MediaSite]) -> None:
    found = await trial.crawl(f"{trial.site.base}/films")
    assert [each.url for each in found.files] == [
        f"{trial.site.base}/films#media:1",
        f"{trial.site.base}/films#media:2",
    ]
    assert found.name and "films" in found.name.lower()
    second = found.files[1].url
    assert not trial.plugin.is_folder(second)
    file = await trial.resolve(second)
    assert (file.url, file.program) == (f"{trial.site.base}/two.mp4", None)
    assert file.name and file.name.endswith(".mp4")
    assert await bytes_of(file) == DATA


@pytest.mark.nightly
async def test_missing_page_and_page_without_videos(trial: PluginTrial[MediaSite]) -> None:
    gone = await refusal(trial.crawl(f"{trial.site.base}/gone"))
    assert isinstance(gone, Offline)
    empty = await refusal(trial.crawl(f"{trial.site.base}/empty"))
    assert not isinstance(empty, Temporary)


async def test_pages_cannot_reach_private_network(trial: PluginTrial[MediaSite]) -> None:
    trial.plugin.hoster.settings = {"hosts": "example.invalid", "quality": "best"}
    error = await refusal(trial.crawl(f"{trial.site.base}/films"))
    assert error.problem
    assert trial.site.asked == []


async def test_videos_of_page_are_downloaded(ada: Client, site: MediaSite, tmp_path: Path) -> None:
    await add(ada, f"{site.base}/films", start=True)
    shown = await until(ada, lambda all: [each["status"] for each in all] == ["finished"] * 2)
    assert [(tmp_path / "done" / each["file"]).read_bytes() for each in shown] == [DATA, DATA]


@pytest.mark.nightly
async def test_pages_and_videos_use_the_proxy(ada: Client, site: MediaSite) -> None:
    with http_proxy() as proxy:
        await ada.put("/api/settings", json={"proxy": f"http://127.0.0.1:{proxy.port}"})
        await add(ada, f"{site.base}/pieces", start=True)
        await until_all(ada, "finished")
        # The page is read for crawling, for resolving, and again before the segments are fetched.
        assert proxy.asked == [f"GET {site.base}/pieces"] * 3


@pytest.mark.nightly
async def test_paused_segmented_video_is_resumed(
    ada: Client, site: MediaSite, tmp_path: Path
) -> None:
    """yt-dlp fetches the video and continues after a pause."""
    site.open.clear()
    await add(ada, f"{site.base}/pieces", start=True)
    await asyncio.wait_for(site.begun.wait(), 60)
    await act(ada, "/api/downloads/pause-all")
    await until_all(ada, "paused")
    site.open.set()
    await act(ada, "/api/downloads/resume-all")
    (shown,) = await until_all(ada, "finished", "failed")
    assert (tmp_path / "done" / shown["file"]).read_bytes() == b"".join(PIECES)
    assert site.asked.count("0") == 1
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.nightly
async def test_deleted_video_download_leaves_no_files(
    ada: Client, site: MediaSite, tmp_path: Path
) -> None:
    site.open.clear()
    await add(ada, f"{site.base}/pieces", start=True)
    await asyncio.wait_for(site.begun.wait(), 60)
    (shown,) = await until_all(ada, "downloading")
    await act(ada, f"/api/downloads/{shown['id']}", "DELETE")
    async with asyncio.timeout(60):
        while list((tmp_path / "tmp").iterdir()):
            await asyncio.sleep(0.02)
    site.open.set()
