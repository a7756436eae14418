"""The files that a device or the hub has yet to receive."""

import asyncio

import pytest

from quartet.sync.engine.problems import problem_of_file
from quartet.sync.protocol import Inspected, MissingFile, MissingFiles
from tests.sync.running_app import RunningApp
from tests.sync.test_templates import browsable_device, question

pytestmark = pytest.mark.anyio


async def test_device_lists_missing_files_and_tries_again(app: RunningApp) -> None:
    agent = await browsable_device(app)
    folder = await app.folder()
    url = f"/api/folders/{folder['id']}"
    assert await app.refused("GET", f"{url}/devices/1/missing") == (404, "share_not_found")
    await app.share(folder["id"], 1, "/photos")
    asked = asyncio.create_task(app.get(f"{url}/devices/1/missing"))
    first = await question(agent)
    assert (first.folder, first.missing) == (folder["engineFolderId"], True)
    files = [MissingFile("a.jpg", size=5, code="file_no_space"), MissingFile("b.jpg", deleted=True)]
    await agent.say(Inspected(first.request, missing=MissingFiles(files, more=True)))
    assert await asked == {
        "files": [
            {"path": "a.jpg", "size": 5, "code": "file_no_space"},
            {"path": "b.jpg", "deleted": True},
        ],
        "more": True,
    }

    await app.post(f"{url}/rescan")
    second = await question(agent)
    assert (second.folder, second.scan, second.retry) == (folder["engineFolderId"], True, True)
    assert await app.refused("POST", "/api/folders/9/rescan") == (404, "folder_not_found")


async def test_unknown_files_are_not_reported_as_none(app: RunningApp) -> None:
    agent = await browsable_device(app)
    folder = await app.folder()
    await app.share(folder["id"], 1, "/photos")
    url = f"/api/folders/{folder['id']}"
    asked = asyncio.create_task(app.get(f"{url}/devices/1/missing"))
    # An agent of an earlier version, and no hub that could know.
    await agent.say(Inspected((await question(agent)).request, files=[]))
    assert (await asked)["files"] is None
    assert await app.refused("GET", f"{url}/missing") == (503, "engine_unreachable")
    assert await app.refused("GET", "/api/folders/9/missing") == (404, "folder_not_found")
    secret = await app.folder("Diary", encryptedOnHub=True)
    refused = await app.refused("GET", f"/api/folders/{secret['id']}/missing")
    assert refused == (409, "encrypted_on_hub")


def test_reasons_are_codes() -> None:
    full = "syncing: writing to /x/.syncthing.a.tmp: no space left on device"
    assert problem_of_file(full).code == "file_no_space"
    other = problem_of_file("something new\n")
    assert (other.code, other.inputs) == ("file_failed", {"reason": "something new"})
