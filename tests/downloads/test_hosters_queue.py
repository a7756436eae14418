"""Every built-in plugin, from the pasted link to the finished file."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from tests.client import Client
from tests.downloads.api_calls import add, until, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.imitations.all import SITES
from tests.downloads.imitations.site import DATA, Site, write_settings
from tests.downloads.plugins import add_account, imitation, until_checked

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def user_of(data: Path, sites: list[Site]) -> AsyncIterator[Client]:
    async with AsyncExitStack() as stack:
        for site in sites:
            site.base = await stack.enter_async_context(imitation(site.routes()))
        write_settings(data, *sites)
        yield await stack.enter_async_context(logged_in(data))


async def test_links_of_all_hosters_are_downloaded(tmp_path: Path) -> None:
    sites = [kind() for kind in SITES]
    async with user_of(tmp_path, sites) as ada:
        for site in sites:
            if site.account:
                await add_account(ada, site.plugin, site.account.secret, user=site.account.user)
        checked = await until_checked(ada)
        assert {(each["status"], each["premium"]) for each in checked} == {("valid", True)}
        await add(ada, *(site.file_link for site in sites), start=True)
        shown = await until_all(ada, "finished", "failed")
        errors = [each["error"] for each in shown if each["status"] == "failed"]
        assert errors == []
        files = {(tmp_path / "done" / each["file"]).read_bytes() for each in shown}
        assert (len(shown), files) == (len(sites), {DATA})


async def test_folders_of_all_hosters_are_crawled(tmp_path: Path) -> None:
    sites = [kind() for kind in SITES if kind.folder_link]
    async with user_of(tmp_path, sites) as ada:
        await add(ada, *(site.folder_link or "" for site in sites))
        expected = {
            "1fichier": 2,
            "gofile": 2,
            "googledrive": 2,
            "mediafire": 3,
            "mega": 2,
            "rapidgator": 4,
        }
        await until(ada, lambda all: Counter(each["pluginId"] for each in all) == expected)
