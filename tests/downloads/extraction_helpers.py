"""Helpers for the extraction tests."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.client import Client
from tests.downloads.api_calls import SECONDS, packages
from tests.downloads.server import FileServer


async def until_package(
    client: Client, id: int, right: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """Wait for events until the package meets the condition."""
    shown: list[dict[str, Any]] = []
    with suppress(TimeoutError):
        async with asyncio.timeout(SECONDS), client.started.kernel.events.subscribe() as events:
            while True:
                shown = [each for each in await packages(client) if each["id"] == id]
                if shown and right(shown[0]):
                    return shown[0]
                async for frame in events:
                    if frame.type == "changed":
                        break
    raise AssertionError(shown)


async def until_extract(client: Client, id: int, state: str) -> dict[str, Any]:
    return await until_package(client, id, lambda package: package["extract"] == state)


def offer(server: FileServer, folder: Path, prefix: str = "") -> list[str]:
    """Return links to all files of a folder, which is emptied."""
    links = []
    for path in sorted(folder.iterdir()):
        links.append(server.put(f"{prefix}{path.name}", path.read_bytes()))
        path.unlink()
    return links


async def setting(client: Client, **values: Any) -> None:
    answer = await client.put("/api/settings", json=values)
    assert answer.status_code == 200, answer.text


async def passwords(client: Client) -> list[str]:
    answer = await client.get("/api/settings/archive-passwords")
    found: list[str] = answer.json()["passwords"]
    return found


def below(files: dict[str, bytes], folder: str) -> dict[str, bytes]:
    return {f"{folder}/{name}": data for name, data in files.items()}


async def entry(client: Client, path: str) -> dict[str, Any]:
    """Return the entry as the done folder shows it."""
    folder, _, name = path.rpartition("/")
    answer = await client.get("/api/files", params={"path": folder})
    [found] = [each for each in answer.json()["entries"] if each["name"] == name]
    shown: dict[str, Any] = found
    return shown


async def until(client: Client, right: Callable[[], Any]) -> None:
    """Wait for events until the condition is true."""
    async with asyncio.timeout(SECONDS), client.started.kernel.events.subscribe() as events:
        while not await right():
            await anext(events)
