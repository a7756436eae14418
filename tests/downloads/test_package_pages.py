"""Pages of the package list, and searching it."""

from typing import Any

import pytest

from tests.client import Client
from tests.downloads.api_calls import add, downloads, mark

pytestmark = pytest.mark.anyio

# A reserved name that never resolves, so nothing is downloaded.
A = "http://host.invalid/a.bin"


async def test_search_and_filter(ada: Client) -> None:
    await add(
        ada, "http://host.invalid/100%25_x.bin", "http://host.invalid/other.bin", packageName="P"
    )
    await add(ada, A, packageName="Ätna 100")
    assert [each["name"] for each in await downloads(ada, q="100%")] == ["100%_x.bin"]
    assert [each["name"] for each in await downloads(ada, q="OTHER")] == ["other.bin"]
    assert [each["name"] for each in await downloads(ada, q="tna")] == ["a.bin"]
    assert await downloads(ada, q="'\"; --") == []
    await mark(ada, "status = 'failed'", f"url = '{A}'")
    assert [each["url"] for each in await downloads(ada, state="failed")] == [A]
    answer = await ada.code("GET", "/api/packages", params={"state": "strange"})
    assert answer == (400, "invalid_request")


async def test_pages_are_consecutive(ada: Client) -> None:
    for number in range(3):
        await add(ada, *(f"http://host.invalid/{number}-{file}" for file in range(5)))
    seen: list[str] = []
    query: dict[str, Any] = {"view": "collector", "limit": 4}
    while True:
        page = (await ada.get("/api/packages", params=query)).json()
        shown = [each["url"] for package in page["packages"] for each in package["downloads"]]
        assert all(package["summary"]["downloads"] == 5 for package in page["packages"])
        seen += shown
        if page["nextCursor"] is None:
            break
        assert len(shown) == 4
        query["cursor"] = page["nextCursor"]
    assert seen == [f"http://host.invalid/{n}-{file}" for n in range(3) for file in range(5)]


@pytest.mark.parametrize("cursor", ["x", "1", "1.2", "-1.0.0", "².1.1", "9" * 30 + ".1.1"])
async def test_invalid_cursor_is_rejected(ada: Client, cursor: str) -> None:
    answer = await ada.code("GET", "/api/packages", params={"cursor": cursor})
    assert answer == (400, "invalid_request")


@pytest.mark.parametrize("limit", ["0", "-1", "99999", "x"])
async def test_page_limit_is_validated(ada: Client, limit: str) -> None:
    answer = await ada.code("GET", "/api/packages", params={"limit": limit})
    assert answer == (400, "invalid_request")


async def test_list_without_parameters_is_complete(ada: Client) -> None:
    await add(ada, *(f"http://host.invalid/{file}" for file in range(1200)))
    await add(ada, A, start=True)
    page = (await ada.get("/api/packages")).json()
    assert [len(package["downloads"]) for package in page["packages"]] == [1200, 1]
    assert page["nextCursor"] is None
