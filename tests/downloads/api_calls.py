"""Common API calls of tests."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec

from tests.client import Client

SECONDS = 60.0


async def add(client: Client, *links: str, **fields: Any) -> int:
    answer = await client.post("/api/links", json={"links": "\n".join(links), **fields})
    assert answer.status_code == 200, answer.text
    id: int = answer.json()["packageId"]
    return id


async def packages(client: Client, view: str = "queue", **query: Any) -> list[dict[str, Any]]:
    answer = await client.get("/api/packages", params={"view": view, **query})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["packages"]
    return found


async def one(client: Client, view: str = "collector") -> dict[str, Any]:
    [package] = await packages(client, view)
    return package


async def downloads(client: Client, **query: Any) -> list[dict[str, Any]]:
    """Return the downloads of the queue and the link grabber."""
    return [
        download
        for view in ("queue", "collector")
        for package in await packages(client, view, **query)
        for download in package["downloads"]
    ]


async def states(client: Client) -> dict[str, str]:
    return {each["name"]: each["status"] for each in await downloads(client)}


async def act(client: Client, path: str, method: str = "POST", **options: Any) -> None:
    answer = await client.request(method, path, **options)
    assert answer.status_code in (202, 204), answer.text


async def mark(client: Client, what: str, where: str) -> None:
    """Change downloads directly in the database, to skip waiting."""
    query = f"UPDATE downloads SET {what} WHERE {where}"
    await client.started.kernel.db.write(lambda tx: tx.conn.exec_driver_sql(query))


async def until(
    client: Client, right: Callable[[list[dict[str, Any]]], bool]
) -> list[dict[str, Any]]:
    """Wait for events until the condition is true."""
    shown: list[dict[str, Any]] = []
    with suppress(TimeoutError):
        async with asyncio.timeout(SECONDS), client.started.kernel.events.subscribe() as events:
            while True:
                shown = await downloads(client)
                if right(shown):
                    return shown
                async for frame in events:
                    if frame.type == "changed":
                        break
    raise AssertionError(shown)


async def until_all(client: Client, *wanted: str) -> list[dict[str, Any]]:
    return await until(client, lambda all: bool(all) and {d["status"] for d in all} <= {*wanted})


def progress_in(frames: list[Any]) -> list[dict[str, Any]]:
    return [msgspec.json.decode(each.data) for each in frames if each.type == "progress"]
