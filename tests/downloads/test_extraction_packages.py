"""Packages are extracted when all downloads are finished."""

import asyncio
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.client import Client
from tests.downloads.api_calls import SECONDS, act, add, downloads, packages, progress_in, until_all
from tests.downloads.archives.make_archives import FILES, leftovers, seven_zip, tree
from tests.downloads.conftest import logged_in
from tests.downloads.extraction_helpers import below, offer, setting, until_extract
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("options", [("set.zip",), ("set.7z", "-v20k")])
async def test_complete_package_is_extracted(
    ada: Client, server: FileServer, making: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    seven_zip(making, *options)
    parts = {path.name: path.read_bytes() for path in making.iterdir()}
    async with ada.started.kernel.events.subscribe() as events:
        id = await add(ada, *offer(server, making), packageName="Pack", start=True)
        package = await until_extract(ada, id, "done")
        async with asyncio.timeout(SECONDS):
            while (await anext(events)).data != b'{"type":"changed","topic":"files"}':
                pass
    assert package["extractError"] is None
    assert tree(tmp_path / "done") == below({**FILES, **parts}, "Pack")


async def test_extraction_progress_is_reported_in_percent(
    ada: Client, server: FileServer, making: Path
) -> None:
    seven_zip(making, "set.zip")
    async with ada.started.kernel.events.subscribe() as events:
        id = await add(ada, *offer(server, making), packageName="Pack", start=True)
        async with asyncio.timeout(SECONDS):
            async for frame in events:
                extractions = [each for one in progress_in([frame]) for each in one["extract"]]
                if extractions:
                    break
    assert extractions[0]["path"] == "Pack/set.zip"
    assert extractions[0]["packageId"] == id
    assert 0 <= extractions[0]["percent"] <= 100


async def test_without_auto_extract_extraction_starts_on_request(
    ada: Client, server: FileServer, making: Path, tmp_path: Path
) -> None:
    await setting(ada, autoExtract=False)
    seven_zip(making, "set.zip")
    id = await add(ada, *offer(server, making), packageName="Pack", start=True)
    await until_all(ada, "finished")
    assert [each["extract"] for each in await packages(ada)] == [None]
    assert (await ada.post(f"/api/packages/{id}/extract")).status_code == 202
    await until_extract(ada, id, "done")
    assert FILES["read me.txt"] == (tmp_path / "done/Pack/read me.txt").read_bytes()
    assert await ada.code("POST", "/api/packages/99/extract") == (404, "not_found")


async def test_package_without_archives_has_no_extraction_state(
    ada: Client, server: FileServer
) -> None:
    id = await add(ada, server.put("film.mkv", b"film"), start=True)
    await until_all(ada, "finished")
    assert (await ada.post(f"/api/packages/{id}/extract")).status_code == 202
    assert [each["extract"] for each in await packages(ada)] == [None]


async def test_archives_are_deleted_only_after_success(
    ada: Client, server: FileServer, making: Path, tmp_path: Path
) -> None:
    await setting(ada, deleteArchives=True)
    seven_zip(making, "good.7z", "-v20k")
    (making / "bad.zip").write_bytes(b"PK\3\4 this is no archive")
    links = offer(server, making)
    id = await add(ada, *links, packageName="Pack", start=True)
    package = await until_extract(ada, id, "failed")
    assert package["extractError"] == {"code": "not_an_archive", "inputs": {"name": "bad.zip"}}
    shown = tree(tmp_path / "done")
    assert shown == below({**FILES, "bad.zip": server.files["bad.zip"]}, "Pack")
    assert {each["name"]: each["file"] for each in await downloads(ada)} == {
        **{f"good.7z.00{n}": None for n in range(1, 6)},
        "bad.zip": "Pack/bad.zip",
    }
    entry = [
        each
        for each in (await ada.get("/api/files?path=Pack")).json()["entries"]
        if each["name"] == "bad.zip"
    ]
    assert entry[0]["error"] == package["extractError"]
    assert entry[0]["package"]["extract"] == "failed"


async def test_downloads_of_extracted_archives_are_removed(
    ada: Client, server: FileServer, making: Path, tmp_path: Path
) -> None:
    await setting(ada, removeArchiveDownloads=True)
    seven_zip(making, "set.7z", "-v20k")
    (making / "film.mkv").write_bytes(b"film")
    id = await add(ada, *offer(server, making), packageName="Pack", start=True)
    package = await until_extract(ada, id, "done")
    assert [each["name"] for each in package["downloads"]] == ["film.mkv"]
    assert (tmp_path / "done/Pack/set.7z.001").exists()


async def test_package_with_only_archives_is_removed(
    ada: Client, server: FileServer, making: Path, tmp_path: Path
) -> None:
    await setting(ada, removeArchiveDownloads=True, deleteArchives=True)
    seven_zip(making, "set.7z", "-v20k")
    await add(ada, *offer(server, making), packageName="Pack", start=True)
    async with asyncio.timeout(SECONDS), ada.started.kernel.events.subscribe() as events:
        while await packages(ada):
            await anext(events)
    assert tree(tmp_path / "done") == below(FILES, "Pack")


async def test_missing_volumes_are_named(ada: Client, server: FileServer, making: Path) -> None:
    seven_zip(making, "set.7z", "-v20k")
    links = offer(server, making)
    id = await add(ada, *links[:2], *links[3:], packageName="P", start=True)
    package = await until_extract(ada, id, "failed")
    assert package["extractError"] == {
        "code": "parts_missing",
        "inputs": {"archive": "set.7z.001", "missing": ["set.7z.003"]},
    }


async def test_archive_waits_for_volume_in_another_package(
    ada: Client, server: FileServer, making: Path, tmp_path: Path
) -> None:
    seven_zip(making, "set.7z", "-v20k")
    *most, last = offer(server, making)
    other = await add(ada, last, packageName="other", targetDir="P", start=True)
    await act(ada, f"/api/packages/{other}/pause")
    id = await add(ada, *most, packageName="P", start=True)
    await until_extract(ada, id, "pending")
    await act(ada, f"/api/packages/{other}/resume")
    await until_extract(ada, id, "done")
    assert (
        FILES.items()
        <= {name.removeprefix("P/"): data for name, data in tree(tmp_path / "done").items()}.items()
    )
    assert {each["id"]: each["extract"] for each in await packages(ada)} == {
        id: "done",
        other: None,
    }


async def test_two_packages_with_same_folder_and_volume_names(
    ada: Client, server: FileServer, making: Path, tmp_path: Path
) -> None:
    """The second package has one more volume, whose name is free on the disk."""
    first = {"one.bin": bytes(range(256)) * 100}
    second = {"two.bin": bytes(reversed(range(256))) * 200}
    seven_zip(making, "set.7z", "-mx0", "-v10k", files=first)
    links = offer(server, making, "a/")
    seven_zip(making, "set.7z", "-mx0", "-v10k", files=second)
    more = offer(server, making, "b/")
    assert len(links) < len(more)
    await setting(ada, autoExtract=False, deleteArchives=True)
    one = await add(ada, *links, packageName="A", targetDir="same", start=True)
    await until_all(ada, "finished")
    two = await add(ada, *more, packageName="B", targetDir="same", start=True)
    await until_all(ada, "finished")
    assert (tmp_path / "done/same/set.7z.004").exists()
    await act(ada, f"/api/packages/{one}/extract")
    await until_extract(ada, one, "done")
    await act(ada, f"/api/packages/{two}/extract")
    await until_extract(ada, two, "done")
    assert tree(tmp_path / "done") == below({**first, **second}, "same")


async def test_interrupted_extraction_is_repeated_after_restart(
    server: FileServer, making: Path, tmp_path: Path
) -> None:
    seven_zip(making, "one.zip")
    seven_zip(making, "two.zip", files={"two.txt": b"2"})
    async with logged_in(tmp_path) as ada:
        await setting(ada, autoExtract=False)
        id = await add(ada, *offer(server, making), packageName="P", start=True)
        await until_all(ada, "finished")
        kernel = ada.started.kernel
        # The state a killed process leaves.
        kernel.db.write_sync(
            lambda tx: tx.conn.exec_driver_sql("UPDATE packages SET extract = 'running'")
        )
        kernel.db.write_sync(
            lambda tx: tx.conn.exec_driver_sql(
                "INSERT INTO extractions (path, package_id, state, files, asked_at)"
                f" VALUES ('P/one.zip', {id}, 'running', '[]', 1)"
            )
        )
        staging = tmp_path / "done/P/.quartet-unpack-0123456789abcdef/1"
        staging.mkdir(parents=True)
        (staging / "half").write_bytes(b"half")
    async with logged_in(tmp_path) as ada:
        await until_extract(ada, id, "done")
        shown = tree(tmp_path / "done/P")
        assert leftovers(tmp_path / "done") == []
        assert shown.keys() == {*FILES, "two.txt", "one.zip", "two.zip"}


async def test_interrupted_deletion_of_archives_is_finished_after_restart(
    server: FileServer, making: Path, tmp_path: Path
) -> None:
    seven_zip(making, "one.7z", "-v20k")
    seven_zip(making, "two.zip", files={"two.txt": b"2"})
    async with logged_in(tmp_path) as ada:
        await setting(ada, autoExtract=False)
        id = await add(ada, *offer(server, making), packageName="P", start=True)
        await until_all(ada, "finished")
        kernel = ada.started.kernel
        kernel.db.write_sync(
            lambda tx: tx.conn.exec_driver_sql("UPDATE packages SET extract = 'running'")
        )
        files = ", ".join(f'"P/one.7z.00{n}"' for n in range(1, 6))
        kernel.db.write_sync(
            lambda tx: tx.conn.exec_driver_sql(
                "INSERT INTO extractions (path, package_id, state, files, asked_at)"
                f" VALUES ('P/one.7z.001', {id}, 'clearing', '[{files}]', 1)"
            )
        )
        (tmp_path / "done/P/one.7z.001").unlink()
        (tmp_path / "done/P/one.7z.002").unlink()
    async with logged_in(tmp_path) as ada:
        await until_extract(ada, id, "done")
        assert tree(tmp_path / "done/P").keys() == {"two.zip", "two.txt"}


async def test_incomplete_package_does_not_use_volumes_of_complete_one(
    ada: Client, server: FileServer, making: Path, tmp_path: Path
) -> None:
    files = {"one.bin": bytes(range(256)) * 100}
    seven_zip(making, "set.7z", "-mx0", "-v10k", files=files)
    links = offer(server, making, "a/")
    for name in list(server.files):
        server.put(name.replace("a/", "b/"), server.files[name])
    await setting(ada, autoExtract=False, deleteArchives=True)
    part = await add(ada, links[0], packageName="A", targetDir="same", start=True)
    await until_all(ada, "finished")
    others = [link.replace("/a/", "/b/") for link in links]
    whole = await add(ada, *others, packageName="B", targetDir="same", start=True)
    await until_all(ada, "finished")
    await act(ada, f"/api/packages/{part}/extract")
    package = await until_extract(ada, part, "failed")
    assert package["extractError"]["inputs"]["missing"] == ["set.7z.002"]
    await act(ada, f"/api/packages/{whole}/extract")
    await until_extract(ada, whole, "done")
    assert tree(tmp_path / "done").keys() == {"same/one.bin", "same/set.7z.001"}


async def test_early_request_waits_for_volumes_of_the_package(
    ada: Client, server: FileServer, making: Path, tmp_path: Path
) -> None:
    seven_zip(making, "set.7z", "-v20k")
    id = await add(ada, *offer(server, making), packageName="P")
    [package] = await packages(ada, "collector")
    last = package["downloads"][-1]["id"]
    server.refusals["set.7z.005"] = [503] * 3
    await act(ada, f"/api/packages/{id}/start")
    async with asyncio.timeout(SECONDS), ada.started.kernel.events.subscribe() as events:
        while [each["status"] for each in await downloads(ada)].count("finished") < 4:
            await anext(events)
    await act(ada, f"/api/downloads/{last}/pause")
    await act(ada, f"/api/packages/{id}/extract")
    await until_extract(ada, id, "pending")
    assert not (tmp_path / "done/P/read me.txt").exists()
    server.refusals.clear()
    await act(ada, f"/api/downloads/{last}/resume")
    await until_extract(ada, id, "done")
    assert (tmp_path / "done/P/read me.txt").exists()


async def test_missing_space_for_extraction_has_contract_key(
    ada: Client, server: FileServer, making: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await setting(ada, autoExtract=False)
    seven_zip(making, "set.zip")
    id = await add(ada, *offer(server, making), packageName="Pack", start=True)
    await until_all(ada, "finished")
    monkeypatch.setattr("quartet.kernel.files.space.free_space", lambda _fd: 10)
    await act(ada, f"/api/packages/{id}/extract")
    package = await until_extract(ada, id, "failed")
    assert package["extractError"]["code"] == "server_extract_noSpace"


async def test_downloaded_pieces_are_joined(
    ada: Client, server: FileServer, tmp_path: Path
) -> None:
    pieces = {f"film.mkv.{number:03}": bytes([number]) * 1000 for number in (1, 2, 3)}
    links = [server.put(name, data) for name, data in pieces.items()]
    id = await add(ada, *links, packageName="Pack", start=True)
    await until_extract(ada, id, "done")
    assert (tmp_path / "done/Pack/film.mkv").read_bytes() == b"".join(pieces.values())


async def test_skipped_links_and_nested_setting_of_a_package(
    ada: Client, server: FileServer, making: Path, tmp_path: Path
) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as file:
        file.writestr("rom1.bin", "rom")
    link = tarfile.TarInfo("out")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc"
    nested = tarfile.TarInfo("roms/pacman.zip")
    nested.size = len(inner.getvalue())
    with tarfile.open(making / "set.tar", "w") as tar:
        tar.addfile(link)
        tar.addfile(nested, io.BytesIO(inner.getvalue()))
    id = await add(ada, *offer(server, making), packageName="Pack")
    await act(ada, f"/api/packages/{id}", "PATCH", json={"extractNested": True})
    await act(ada, f"/api/packages/{id}/start")
    package = await until_extract(ada, id, "done")
    assert package["extractNested"] is True
    [note] = package["extractNotes"]
    names = {"archive": "set.tar", "count": 1, "names": "out"}
    assert (note["code"], note["inputs"]) == ("links_skipped", names)
    assert (tmp_path / "done/Pack/roms/pacman/rom1.bin").read_bytes() == b"rom"
    await act(ada, f"/api/packages/{id}", "PATCH", json={"extractNested": None})
    assert (await packages(ada))[0]["extractNested"] is None
