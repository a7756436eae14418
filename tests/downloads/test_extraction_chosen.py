"""Archives that the user chooses in the done folder, and protection during extraction."""

import asyncio
import tarfile
from pathlib import Path

import pytest

from tests.client import Client
from tests.downloads.api_calls import SECONDS, act, add, packages
from tests.downloads.archives.make_archives import FILES, leftovers, seven_zip, tree, write
from tests.downloads.conftest import logged_in
from tests.downloads.extraction_helpers import (
    below,
    entry,
    offer,
    setting,
    until,
    until_extract,
)
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio

# Each password takes a noticeable time to try.
MANY = [f"wrong {number}" for number in range(200)]


@pytest.fixture
def done(tmp_path: Path) -> Path:
    (tmp_path / "done/a").mkdir(parents=True)
    return tmp_path / "done"


async def extract(ada: Client, *paths: str) -> None:
    answer = await ada.post("/api/files/extract", json={"paths": list(paths)})
    assert answer.status_code == 202, answer.text


async def until_there(ada: Client, path: Path) -> None:
    async def there() -> bool:
        return path.exists()

    await until(ada, there)


async def until_running(ada: Client, path: str) -> None:
    async def running() -> bool:
        return (await entry(ada, path))["extracting"] is not None

    await until(ada, running)


async def until_error(ada: Client, path: str) -> dict[str, object]:
    async def failed() -> bool:
        return (await entry(ada, path))["error"] is not None

    await until(ada, failed)
    error: dict[str, object] = (await entry(ada, path))["error"]
    return error


async def test_any_volume_selects_its_archive(ada: Client, done: Path) -> None:
    await setting(ada, deleteArchives=True)
    seven_zip(done / "a", "set.7z", "-v20k")
    await extract(ada, "a/set.7z.003", "a/set.7z.001")

    async def gone() -> bool:
        return not (done / "a/set.7z.005").exists()

    await until(ada, gone)
    assert tree(done) == below(FILES, "a")


async def test_all_archives_of_folder_are_extracted(ada: Client, done: Path) -> None:
    write(done, {"a/manual.1.gz": b"not touched"})
    seven_zip(done / "a", "one.zip", files={"one.txt": b"1"})
    (done / "a/b").mkdir()
    seven_zip(done / "a/b", "two.7z", files={"two.txt": b"2"})
    await extract(ada, "a")
    await until_there(ada, done / "a/one.txt")
    await until_there(ada, done / "a/b/two.txt")
    assert (done / "a/one.zip").exists()


async def test_archive_at_top_level_is_extracted(ada: Client, done: Path) -> None:
    seven_zip(done, "one.zip", files={"one.txt": b"1"})
    await extract(ada, "one.zip")
    await until_there(ada, done / "one.txt")


async def test_file_that_is_not_an_archive_is_rejected(ada: Client, done: Path) -> None:
    write(done, {"a/x.txt": b"1"})

    async def code(path: str) -> tuple[int, str]:
        return await ada.code("POST", "/api/files/extract", json={"paths": [path]})

    assert await code("a/x.txt") == (422, "not_an_archive")
    assert await code("a") == (422, "nothing_to_extract")


async def test_extraction_error_is_shown_until_it_succeeds(ada: Client, done: Path) -> None:
    await setting(ada, askArchivePassword=False)
    seven_zip(done / "a", "set.7z", "-psecret", "-mhe=on")
    await extract(ada, "a/set.7z")
    error = await until_error(ada, "a/set.7z")
    assert error["code"] == "wrong_password"
    assert (await ada.get("/api/files?path=a")).json()["error"] == error
    await ada.put("/api/settings/archive-passwords", json={"passwords": ["secret"]})
    await extract(ada, "a/set.7z")
    await until_there(ada, done / "a/read me.txt")

    async def settled() -> bool:
        shown = await entry(ada, "a/set.7z")
        return shown["error"] is None and shown["extracting"] is None

    await until(ada, settled)


async def test_missing_volume_is_named(ada: Client, done: Path) -> None:
    seven_zip(done / "a", "set.7z", "-v20k")
    (done / "a/set.7z.005").unlink()
    await extract(ada, "a")
    error = await until_error(ada, "a/set.7z.001")
    inputs = {"archive": "set.7z.001", "missing": ["set.7z.005"]}
    assert error == {"code": "parts_missing", "inputs": inputs}


async def test_archive_with_device_is_rejected(ada: Client, done: Path) -> None:
    """An archive that contains a device file is rejected as a whole."""
    pipe = tarfile.TarInfo("pipe")
    pipe.type = tarfile.FIFOTYPE
    with tarfile.open(done / "a/bad.tar", "w") as packed:
        packed.addfile(pipe)
    await extract(ada, "a/bad.tar")
    assert (await until_error(ada, "a/bad.tar"))["code"] == "archive_unsafe"
    assert list(tree(done)) == ["a/bad.tar"]
    assert leftovers(done) == []


async def test_chosen_archive_completes_failed_package(
    ada: Client, server: FileServer, making: Path
) -> None:
    await setting(ada, askArchivePassword=False)
    seven_zip(making, "set.7z", "-psecret", "-mhe=on")
    id = await add(ada, *offer(server, making), packageName="P", start=True)
    await until_extract(ada, id, "failed")
    await act(ada, f"/api/packages/{id}", "PATCH", json={"passwords": ["secret"]})
    await extract(ada, "P/set.7z")
    await until_extract(ada, id, "done")


async def test_folder_is_protected_during_extraction(ada: Client, done: Path) -> None:
    await ada.put("/api/settings/archive-passwords", json={"passwords": MANY})
    write(done, {"a/b/x.txt": b"1", "c/y.txt": b"2"})
    seven_zip(done / "a", "set.7z", "-psecret", "-mhe=on")
    await extract(ada, "a/set.7z")
    await until_running(ada, "a/set.7z")
    assert (await entry(ada, "a"))["extracting"] is not None
    assert (await entry(ada, "c"))["extracting"] is None
    assert (await ada.get("/api/files?path=a")).json()["extracting"] is not None
    for path in ("a", "a/set.7z", "a/b/x.txt"):
        for what in ("delete", "delete-archives", "extract", "move"):
            body = {"paths": [path], "to": "c"} if what == "move" else {"paths": [path]}
            answer = await ada.code("POST", f"/api/files/{what}", json=body)
            assert answer == (409, "extracting"), (what, path)
    into = {"paths": ["c/y.txt"], "to": "a"}
    assert await ada.code("POST", "/api/files/move", json=into) == (409, "extracting")
    await act(ada, "/api/files/delete", json={"paths": ["c/y.txt"]})


async def test_deleting_package_stops_its_extraction(
    ada: Client, server: FileServer, making: Path, tmp_path: Path
) -> None:
    await ada.put("/api/settings/archive-passwords", json={"passwords": MANY})
    seven_zip(making, "set.7z", "-psecret", "-mhe=on")
    id = await add(ada, *offer(server, making), packageName="P", start=True)
    await until_extract(ada, id, "running")
    await act(ada, f"/api/packages/{id}", "DELETE")
    async with asyncio.timeout(SECONDS):
        while (await entry(ada, "P/set.7z"))["extracting"] is not None:
            await asyncio.sleep(0.1)
    assert list(tree(tmp_path / "done")) == ["P/set.7z"]
    assert leftovers(tmp_path / "done") == []
    assert await packages(ada) == []


async def test_stopped_service_continues_extraction_later(done: Path, tmp_path: Path) -> None:
    seven_zip(done / "a", "set.7z", "-psecret", "-mhe=on")
    async with logged_in(tmp_path) as ada:
        await ada.put("/api/settings/archive-passwords", json={"passwords": MANY})
        await extract(ada, "a/set.7z")
        await until_running(ada, "a/set.7z")
        await ada.put("/api/settings/archive-passwords", json={"passwords": ["secret"]})
    assert list(tree(done)) == ["a/set.7z"]
    async with logged_in(tmp_path) as ada:
        await until_there(ada, done / "a/read me.txt")
