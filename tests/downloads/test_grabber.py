"""Arranging links in the link grabber: merging, moving, grouping, removing offline ones."""

from typing import Any

import pytest

from quartet.downloads.grabber.grouping import group_name, grouped
from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, mark, packages

pytestmark = pytest.mark.anyio

# Reserved names that never resolve, so nothing is downloaded.
HOST = "http://host.invalid"
MAGNET = "magnet:?xt=urn:btih:" + "a" * 40


async def arranged(client: Client) -> dict[str, list[str]]:
    """Return the names of the links by package."""
    return {
        package["name"]: [each["name"] for each in package["downloads"]]
        for package in await packages(client, "collector")
    }


async def ids(client: Client) -> dict[str, int]:
    return {each["name"]: each["id"] for each in await downloads(client)}


async def move(client: Client, **body: Any) -> int:
    answer = await client.post("/api/links/move", json=body)
    assert answer.status_code == 200, answer.text
    id: int = answer.json()["packageId"]
    return id


async def test_packages_are_merged_with_their_passwords(ada: Client) -> None:
    first = await add(ada, f"{HOST}/a.bin", packageName="First", passwords=["one"])
    second = await add(ada, f"{HOST}/b.bin", f"{HOST}/c.bin", packageName="Second", passwords="two")
    await act(ada, "/api/packages/merge", json={"ids": [first, second]})
    assert await arranged(ada) == {"First": ["a.bin", "b.bin", "c.bin"]}
    assert (await packages(ada, "collector"))[0]["hasPasswords"] is True
    unknown = {"ids": [first, 99]}
    assert await ada.code("POST", "/api/packages/merge", json=unknown) == (404, "not_found")


async def test_links_are_moved_to_another_and_to_a_new_package(ada: Client) -> None:
    first = await add(ada, *(f"{HOST}/{name}.bin" for name in "abc"), packageName="First")
    second = await add(ada, f"{HOST}/d.bin", packageName="Second")
    known = await ids(ada)
    await move(ada, downloadIds=[known["c.bin"], known["a.bin"]], packageId=second)
    assert await arranged(ada) == {"First": ["b.bin"], "Second": ["d.bin", "c.bin", "a.bin"]}
    new = await move(ada, downloadIds=[known["d.bin"]], packageName="Third")
    assert await arranged(ada) == {
        "First": ["b.bin"],
        "Second": ["c.bin", "a.bin"],
        "Third": ["d.bin"],
    }
    # A package without links is removed.
    await move(ada, downloadIds=[known["b.bin"]], packageId=new)
    assert first not in {each["id"] for each in await packages(ada, "collector")}
    body = {"downloadIds": [known["b.bin"], 999]}
    assert await ada.code("POST", "/api/links/move", json=body) == (404, "not_found")


async def test_queue_and_torrents_are_not_rearranged(ada: Client) -> None:
    queued = await add(ada, f"{HOST}/a.bin", start=True)
    torrent = await add(ada, MAGNET)
    plain = await add(ada, f"{HOST}/b.bin")
    body = {"ids": [plain, queued]}
    assert await ada.code("POST", "/api/packages/merge", json=body) == (404, "not_found")
    body = {"ids": [plain, torrent]}
    answer = await ada.code("POST", "/api/packages/merge", json=body)
    assert answer == (409, "torrent_indivisible")


async def test_links_are_grouped_by_name(ada: Client) -> None:
    names = ["Film.part1.rar", "Show.S01E01.mkv", "Film.part2.rar", "Show.S01E02.720p.mkv", "x.pdf"]
    await add(ada, *(f"{HOST}/{name}" for name in names), packageName="All", passwords="p")
    await add(ada, "http://mirror.invalid/Film.part1.rar")
    answer = await ada.post("/api/packages/group")
    assert answer.json() == {"packages": 3}
    assert await arranged(ada) == {
        "Film": ["Film.part1.rar", "Film.part2.rar", "Film.part1.rar"],
        "Show": ["Show.S01E01.mkv", "Show.S01E02.720p.mkv"],
        "x": ["x.pdf"],
    }
    folders = {each["name"]: each["targetDir"] for each in await packages(ada, "collector")}
    assert folders["Show"] == "Show"
    # Grouping again changes nothing.
    assert (await ada.post("/api/packages/group")).json() == {"packages": 3}


@pytest.mark.parametrize(
    ("names", "wanted", "name"),
    [
        (["a.part01.rar", "a.part02.rar"], 1, "a"),
        (["a.r00", "a.r01", "a.rar", "a.sfv"], 1, "a"),
        (["My Show 1x01 Pilot.avi", "My.Show.1x02.avi"], 1, "My Show"),
        (["file.zip", "file (1).zip"], 1, "file"),
        (["one.zip", "two.zip"], 2, None),
        (["S01E01.mkv", "S01E02.mkv"], 2, None),
    ],
)
def test_names_that_belong_together(names: list[str], wanted: int, name: str | None) -> None:
    assert len(grouped((each, each) for each in names)) == wanted
    if name is not None:
        assert group_name(names).replace(".", " ").casefold().startswith(name.casefold())


async def test_offline_links_are_removed_from_the_grabber_only(ada: Client) -> None:
    await add(ada, f"{HOST}/a.bin", f"{HOST}/b.bin", packageName="Half")
    await add(ada, f"{HOST}/c.bin", packageName="Gone")
    queued = await add(ada, f"{HOST}/d.bin", packageName="Queued")
    await mark(ada, "online = 'offline', check_wanted = 0", "name IN ('b.bin', 'c.bin', 'd.bin')")
    await mark(ada, "online = 'online', check_wanted = 0", "name = 'a.bin'")
    await act(ada, f"/api/packages/{queued}/start")
    answer = await ada.post("/api/links/remove-offline")
    assert answer.json()["links"] == 2
    assert await arranged(ada) == {"Half": ["a.bin"]}
    assert len(await packages(ada, "queue")) == 1
