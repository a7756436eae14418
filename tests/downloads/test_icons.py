"""Icons of hosts: fetched from their web servers, once, and only from hosts that occur."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from quartet.downloads.icons import tasks
from quartet.downloads.icons.fetch import LARGEST_ICON, PAGE_BYTES
from quartet.downloads.icons.icon_folder import (
    ICON_SECONDS,
    MISSING_SECONDS,
    MOST_HOSTS,
    IconFolder,
)
from quartet.downloads.icons.service import Icons
from quartet.kernel.db import Tx
from tests.client import Client
from tests.downloads.api_calls import add
from tests.downloads.conftest import logged_in
from tests.downloads.plugins import accounts, add_account, plugin_text, put_plugin
from tests.downloads.web_pages import Pages

pytestmark = pytest.mark.anyio

PNG = b"\x89PNG\r\n\x1a\n and the rest"
GIF = b"GIF89a and the rest"
HOST = "127.0.0.1"
ICON = f"/api/hosts/{HOST}/icon"


async def shown(client: Client) -> dict[str, bool]:
    found: dict[str, bool] = (await client.get("/api/hosts/icons")).json()["hosts"]
    return found


def icons_of(client: Client, *account_hosts: str) -> Icons:
    """Return a service that fetches when it is told to."""

    async def hosts() -> list[str]:
        return list(account_hosts)

    return Icons(client.started.kernel, hosts, lambda: None)


def icon_requests(pages: Pages) -> list[str]:
    return [path for path in pages.asked if path != "/file.bin"]


async def fetched(client: Client, pages: Pages) -> bytes:
    """Fetch the icon of a host with a link, and return it."""
    await add(client, pages.put("/file.bin", b"x"))
    await icons_of(client).fetch_missing()
    return (await client.get(ICON)).content


async def test_icon_of_a_new_host_is_fetched_once(
    ada: Client, pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "DELAY_SECONDS", 0)
    pages.put("/favicon.ico", PNG, "text/plain")
    await add(ada, pages.put("/file.bin", b"x"))
    async with asyncio.timeout(60):
        while await shown(ada) != {HOST: True}:
            await asyncio.sleep(0.02)
    answer = await ada.get(ICON)
    assert (answer.content, answer.headers["content-type"]) == (PNG, "image/png")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "private, max-age=86400"
    await icons_of(ada).fetch_missing()
    assert icon_requests(pages) == ["/favicon.ico"]


@pytest.mark.parametrize(
    "head",
    [
        '<link rel="shortcut icon" href="img/a.gif">',
        '<link rel=icon type="image/svg+xml" href="a.svg"><link rel="icon" href="/img/a.gif">',
        '<link rel=icon sizes=96x96 href=b.png><link rel=icon sizes=32x32 href="img/a.gif">',
        '<base href="/img/"><LINK REL="ICON" HREF=" a.gif ">',
        '<link rel=icon href="img/a.gif">' + "<p>" * PAGE_BYTES,
    ],
)
async def test_icon_that_the_start_page_names_is_used(ada: Client, pages: Pages, head: str) -> None:
    pages.put("/img/a.gif", GIF)
    pages.put("/b.png", PNG)
    pages.put("/", head)
    assert await fetched(ada, pages) == GIF
    assert icon_requests(pages) == ["/favicon.ico", "/", "/img/a.gif"]


@pytest.mark.parametrize(
    "content",
    [
        b"<html>not found</html>",
        b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
        PNG + bytes(LARGEST_ICON),
        b"",
    ],
)
async def test_other_content_is_no_icon(ada: Client, pages: Pages, content: bytes) -> None:
    pages.put("/favicon.ico", content, "image/png")
    pages.put("/", b" " * PAGE_BYTES + b"<link rel=icon href=late.png>")
    await fetched(ada, pages)
    assert await ada.code("GET", ICON) == (404, "not_found")
    assert await shown(ada) == {HOST: False}
    assert icon_requests(pages) == ["/favicon.ico", "/"]


async def test_missing_icon_is_requested_again_after_a_day(
    ada: Client, pages: Pages, tmp_path: Path
) -> None:
    await fetched(ada, pages)
    pages.put("/favicon.ico", PNG)
    await icons_of(ada).fetch_missing()
    assert (await ada.get(ICON)).status_code == 404
    [file] = (tmp_path / "host-icons").iterdir()
    os.utime(file, (0, time.time() - MISSING_SECONDS))
    await icons_of(ada).fetch_missing()
    assert (await ada.get(ICON)).content == PNG


async def test_private_address_is_not_asked(tmp_path: Path, pages: Pages) -> None:
    pages.put("/favicon.ico", PNG)
    async with logged_in(tmp_path, allow_private_addresses=False) as client:
        await fetched(client, pages)
        assert await shown(client) == {HOST: False}
    assert pages.asked == []


async def test_host_that_does_not_occur_is_not_asked(ada: Client, pages: Pages) -> None:
    pages.put("/favicon.ico", PNG)
    await add(ada, f"magnet:?xt=urn:btih:{'ab' * 20}", "ftp://files.example/file.bin")
    await icons_of(ada).fetch_missing()
    assert await ada.code("GET", ICON) == (404, "not_found")
    assert await ada.code("GET", "/api/hosts/..%2F..%2Fkeys/icon") == (404, "not_found")
    # The host of the FTP link is not known to have a web server.
    assert await shown(ada) == {"files.example": False}
    assert pages.asked == []


async def test_hosts_of_accounts_and_of_the_history_have_icons(
    ada: Client, pages: Pages, tmp_path: Path
) -> None:
    put_plugin(
        tmp_path,
        plugin_text("""
            account = AccountForm(secret_label=Text(de="Passwort", en="Password"))

            async def resolve(self, link, ctx):
                raise Fatal
        """),
    )
    await add_account(ada, "demo", "s3cret", user="ada")
    assert [each["host"] for each in await accounts(ada)] == ["demo.invalid"]
    day = "INSERT INTO history_days (day, host, files, bytes) VALUES (1, '127.0.0.1', 1, 1)"
    entry = (
        "INSERT INTO history (finished_at, name, host, url, size, package_name) "
        f"VALUES (1, 'a', '127.0.0.1', '{pages.base.replace('//', '//ada:key@')}/a', 1, 'a')"
    )

    def insert(tx: Tx) -> None:
        tx.conn.exec_driver_sql(day)
        tx.conn.exec_driver_sql(entry)

    await ada.started.kernel.db.write(insert)
    pages.put("/favicon.ico", PNG)
    icons = icons_of(ada, "demo.invalid")
    icons.origins["demo.invalid"] = pages.base
    await icons.fetch_missing()
    assert await shown(ada) == {"demo.invalid": True, HOST: True}


async def test_nothing_is_fetched_or_shown_if_the_setting_is_off(ada: Client, pages: Pages) -> None:
    pages.put("/favicon.ico", PNG)
    await ada.put("/api/settings", json={"hostIcons": False})
    await fetched(ada, pages)
    assert icon_requests(pages) == []
    await ada.put("/api/settings", json={"hostIcons": True})
    await icons_of(ada).fetch_missing()
    assert await shown(ada) == {HOST: True}
    await ada.put("/api/settings", json={"hostIcons": False})
    assert await shown(ada) == {}


def test_folder_keeps_a_limited_number_of_icons(tmp_path: Path) -> None:
    folder = IconFolder(tmp_path)
    for number in range(MOST_HOSTS):
        (tmp_path / f"old{number}.icon").write_bytes(PNG)
        os.utime(tmp_path / f"old{number}.icon", (0, time.time() - MOST_HOSTS + number))
    # Icons of hosts that are shown are not deleted, even if they are the oldest.
    assert folder.due(["old0", "new1", "new2"]) == ["new1", "new2"]
    for host in ("new1", "new2"):
        folder.write(host, PNG)
    assert len(folder.hosts()) == MOST_HOSTS
    assert folder.hosts().keys() & {"old0", "old1", "old2", "old3"} == {"old0", "old3"}
    assert len(folder.due([f"more{number}" for number in range(2 * MOST_HOSTS)])) == MOST_HOSTS
    assert folder.hosts() == {}


def test_icons_are_fetched_again_after_a_month(tmp_path: Path) -> None:
    folder = IconFolder(tmp_path)
    folder.write("müller.example", PNG)
    assert folder.due(["müller.example", "a" * 300]) == []
    [file] = tmp_path.iterdir()
    os.utime(file, (0, time.time() - ICON_SECONDS))
    assert folder.due(["müller.example"]) == ["müller.example"]
    # The old one is shown until then.
    assert folder.hosts() == {"müller.example": True}


def test_icon_that_is_removed_while_the_folder_is_read_is_left_out(tmp_path: Path) -> None:
    folder = IconFolder(tmp_path)
    folder.write("a.example", PNG)
    # Like a file that is deleted after the folder was listed.
    (tmp_path / "b.example.icon").symlink_to("gone")
    assert folder.hosts() == {"a.example": True}
    assert folder.due(["a.example", "b.example"]) == ["b.example"]
