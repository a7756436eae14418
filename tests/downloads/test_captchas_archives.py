"""Asking for an archive password if no known one works."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.client import Client
from tests.downloads.api_calls import SECONDS, act, add, packages
from tests.downloads.archives.make_archives import FILES, seven_zip, tree
from tests.downloads.extraction_helpers import (
    below,
    entry,
    offer,
    passwords,
    until,
    until_extract,
)
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio


async def until_questions(ada: Client, right: Callable[[list[Any]], bool]) -> list[dict[str, Any]]:
    async with asyncio.timeout(SECONDS), ada.started.kernel.events.subscribe() as events:
        while True:
            shown: list[dict[str, Any]] = (await ada.get("/api/captchas")).json()
            if right(shown):
                return shown
            await anext(events)


async def question(ada: Client) -> dict[str, Any]:
    [shown] = await until_questions(ada, lambda all: len(all) == 1)
    return shown


async def answer(ada: Client, shown: dict[str, Any], token: str) -> None:
    given = {"id": shown["id"], "secret": shown["secret"], "token": token}
    await act(ada, "/api/captcha/solve", json=given)
    await until_questions(ada, lambda all: shown not in all)


# Passwords that look like options or contain quotes.
@pytest.mark.parametrize("password", ["secret", "with 'both\" quotes"])
async def test_entered_password_opens_archive_and_is_remembered(
    ada: Client, server: FileServer, making: Path, tmp_path: Path, password: str
) -> None:
    await ada.put("/api/settings/archive-passwords", json={"passwords": ["old"]})
    seven_zip(making, "set.7z", f"-p{password}", "-mhe=on")
    archive = {path.name: path.read_bytes() for path in making.iterdir()}
    id = await add(ada, *offer(server, making), packageName="P", start=True)
    shown = await question(ada)
    asked = {name: shown[name] for name in ("kind", "name", "wrong", "pluginId")}
    assert asked == {
        "kind": "archivePassword",
        "name": "set.7z",
        "wrong": False,
        "pluginId": None,
    }
    await answer(ada, shown, password)
    await until_extract(ada, id, "done")
    assert tree(tmp_path / "done") == below({**FILES, **archive}, "P")
    assert await passwords(ada) == [password, "old"]
    assert (await ada.get("/api/captchas")).json() == []


async def test_extraction_fails_after_three_wrong_passwords(
    ada: Client, server: FileServer, making: Path
) -> None:
    seven_zip(making, "set.7z", "-psecret", "-mhe=on")
    id = await add(ada, *offer(server, making), packageName="P", start=True)
    for number in range(3):
        shown = await question(ada)
        assert shown["wrong"] == (number > 0)
        await answer(ada, shown, f"wrong {number}")
    package = await until_extract(ada, id, "failed")
    assert package["extractError"]["code"] == "wrong_password"
    assert await passwords(ada) == []
    # Requesting the extraction again asks again.
    await act(ada, f"/api/packages/{id}/extract")
    shown = await question(ada)
    assert not shown["wrong"]
    await answer(ada, shown, "secret")
    await until_extract(ada, id, "done")


async def test_cancelled_question_fails_the_package(
    ada: Client, server: FileServer, making: Path
) -> None:
    seven_zip(making, "set.7z", "-psecret", "-mhe=on")
    id = await add(ada, *offer(server, making), packageName="P", start=True)
    shown = await question(ada)
    await act(ada, f"/api/captchas/{shown['id']}/cancel")
    package = await until_extract(ada, id, "failed")
    assert package["extractError"]["code"] == "wrong_password"


async def test_other_packages_do_not_wait_for_the_answer(
    ada: Client, server: FileServer, making: Path
) -> None:
    seven_zip(making, "locked.7z", "-psecret", "-mhe=on")
    first = await add(ada, *offer(server, making), packageName="A", start=True)
    shown = await question(ada)
    seven_zip(making, "open.zip")
    second = await add(ada, *offer(server, making), packageName="B", start=True)
    await until_extract(ada, second, "done")
    states = {each["id"]: each["extract"] for each in await packages(ada)}
    assert states == {first: "pending", second: "done"}
    assert (await ada.get("/api/captchas")).json() == [shown]


async def test_one_answer_is_used_for_all_archives_of_a_package(
    ada: Client, server: FileServer, making: Path
) -> None:
    for name in ("one.7z", "two.7z"):
        seven_zip(making, name, "-psecret", "-mhe=on", files={f"{name}.txt": b"1"})
    id = await add(ada, *offer(server, making), packageName="P", start=True)
    await answer(ada, await question(ada), "secret")
    await until_extract(ada, id, "done")


async def test_question_is_removed_when_package_is_deleted(
    ada: Client, server: FileServer, making: Path
) -> None:
    seven_zip(making, "set.7z", "-psecret", "-mhe=on")
    id = await add(ada, *offer(server, making), packageName="P", start=True)
    await question(ada)
    await act(ada, f"/api/packages/{id}", "DELETE")
    await until_questions(ada, lambda all: not all)


async def test_chosen_archive_asks_for_password(ada: Client, tmp_path: Path) -> None:
    folder = tmp_path / "done/a"
    folder.mkdir(parents=True)
    seven_zip(folder, "set.7z", "-psecret", "-mhe=on")
    await act(ada, "/api/files/extract", json={"paths": ["a/set.7z"]})
    shown = await question(ada)
    await act(ada, f"/api/captchas/{shown['id']}/cancel")

    async def failed() -> bool:
        return (await entry(ada, "a/set.7z"))["error"] is not None

    await until(ada, failed)
    await act(ada, "/api/files/extract", json={"paths": ["a/set.7z"]})
    await answer(ada, await question(ada), "secret")

    async def unpacked() -> bool:
        return (folder / "read me.txt").exists()

    await until(ada, unpacked)
