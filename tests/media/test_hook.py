"""What a download client calls, in all the ways they call."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.media.workbench import Bench, bench_at

pytestmark = pytest.mark.anyio


async def called(bench: Bench, **options: Any) -> Any:
    answer = await bench.ask("POST", "/api/jobs", 202, **options)
    assert answer["url"] == f"/jobs/{answer['jobId']}"
    return await bench.rested(answer["jobId"])


@pytest.mark.parametrize("way", ["json", "data", "files", "params", "both"])
async def test_every_way_to_call(tmp_path: Path, way: str) -> None:
    async with bench_at(tmp_path) as bench:
        path = str(bench.file("Heat.1995.mkv"))
        fields = {"path": path, "watchFolder": "", "target": "", "review": "", "threshold": ""}
        options: dict[str, Any] = {way: fields}
        if way == "files":
            options = {"files": {name: (None, text) for name, text in fields.items()}}
        elif way == "both":
            options = {"params": {"path": "/etc", "review": "1"}, "json": {**fields, "review": 0}}
        job = await called(bench, **options)
        assert (job["kind"], job["status"]) == ("hook", "done")
        assert job["items"]["done"] == 1 and job["progress"] == {"done": 1, "total": 1}
        assert job["error"] is None and not Path(path).exists()


async def test_called_twice_it_is_one_job(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        folder = bench.file("Heat.1995/Heat.1995.mkv").parent
        bench.file("Heat.1995/notes.txt")
        both = await asyncio.gather(
            *(bench.ask("POST", "/api/jobs", 202, json={"path": str(folder)}) for _ in range(5))
        )
        (id,) = {one["jobId"] for one in both}
        assert (await bench.rested(id))["status"] == "done"
        # The path is still there, and nothing new in it.
        assert (await called(bench, json={"path": f"{folder}/"}))["jobId"] == id
        (folder / "notes.txt").unlink()
        folder.rmdir()
        assert (await called(bench, json={"path": str(folder)}))["jobId"] == id
        # Something new is another job.
        bench.file("Heat.1995/Inception.2010.mkv")
        assert (await called(bench, json={"path": str(folder)}))["jobId"] != id


async def test_a_copy_is_made_once(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        path = bench.file("Heat.1995.mkv")
        watched = {"name": "Films", "path": str(bench.downloads), "action": "copy"}
        folder = await bench.ask(
            "POST", "/api/watch-folders", 201, json={**watched, "enabled": False}
        )
        first = await called(bench, json={"path": str(path), "watchFolder": "fILMS"})
        assert (first["config"]["action"], first["watchFolderId"]) == ("copy", folder["id"])
        again = await called(bench, json={"path": str(path), "watchFolder": folder["id"]})
        assert again["jobId"] == first["jobId"] and path.exists()
        bench.file("Heat.1995.mkv", "another one")
        third = await called(bench, params={"path": str(path), "watchFolder": str(folder["id"])})
        assert third["jobId"] != first["jobId"]


async def test_paths_of_other_containers(tmp_path: Path) -> None:
    maps = (f"/data:{tmp_path}/downloads", f"/data/lib:{tmp_path}/films", "/data2:/elsewhere")
    async with bench_at(tmp_path, path_map=maps) as bench:
        bench.file("Heat.1995.mkv")
        job = await called(bench, json={"path": "/data/Heat.1995.mkv", "target": "/data/lib/new"})
        assert job["paths"] == [str(bench.downloads / "Heat.1995.mkv")]
        assert job["items"]["done"] == 1 and list((bench.films / "new").iterdir())
        got = await bench.client.code("POST", "/api/jobs", json={"path": "/data2/x"})
        assert got == (403, "outside_folders")


async def test_hostile_8_and_9_what_is_refused(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        here = str(bench.file("Heat.1995.mkv"))
        for body, code in (
            ({}, (400, "field_missing")),
            ({"path": ""}, (400, "field_missing")),
            ({"path": 7}, (400, "field_invalid")),
            ({"path": "x" * 5000}, (400, "field_invalid")),
            ({"path": f"{here}\0"}, (400, "field_invalid")),
            ({"path": here, "threshold": 2}, (400, "field_invalid")),
            ({"path": here, "threshold": "NaN"}, (400, "field_invalid")),
            ({"path": here, "threshold": "1e309"}, (400, "field_invalid")),
            ({"path": here, "threshold": True}, (400, "field_invalid")),
            ({"path": here, "review": "perhaps"}, (400, "field_invalid")),
            ({"path": here, "watchFolder": -1}, (400, "field_invalid")),
            ({"path": here, "watchFolder": 10**30}, (400, "field_invalid")),
            ({"path": here, "watchFolder": [1]}, (400, "field_invalid")),
            ({"path": here, "watchFolder": "none"}, (404, "watch_folder_not_found")),
            ({"path": here, "profile": "x"}, (400, "profile_gone")),
            ({"path": here, "target": "/etc"}, (403, "outside_folders")),
            ({"path": "/etc/passwd"}, (403, "outside_folders")),
            ({"path": "/etc/no-such-file"}, (403, "outside_folders")),
            ({"path": f"{bench.downloads}/../../etc"}, (403, "outside_folders")),
            ({"path": f"{bench.downloads}/none"}, (404, "not_found")),
        ):
            assert await bench.client.code("POST", "/api/jobs", json=body) == code, body
        for raw, answer in ((b"{", "bad_json"), (b"[1]", "not_an_object"), (b"\xff", "bad_json")):
            headers = {"content-type": "application/json"}
            got = await bench.client.code("POST", "/api/jobs", content=raw, headers=headers)
            assert got == (400, answer)
        big = b'{"path": "' + b"x" * 11_000_000 + b'"}'
        assert (await bench.client.post("/api/jobs", content=big)).status_code in (400, 413)


async def test_without_a_library(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        for folder in await bench.ask("GET", "/api/folders"):
            if folder["kind"] != "folder":
                await bench.ask("DELETE", f"/api/folders/{folder['id']}", 204)
        path = str(bench.file("Heat.1995.mkv"))
        got = await bench.client.code("POST", "/api/jobs", json={"path": path})
        assert got == (400, "no_target_folder")


async def test_a_file_that_still_grows(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        path = bench.file("Heat.1995.mkv", fresh=True)
        answer = await bench.ask("POST", "/api/jobs", 202, json={"path": str(path)})
        with path.open("a") as file:
            file.write("the rest")
        job = await bench.rested(answer["jobId"])
        assert job["items"]["done"] == 1
        (film,) = bench.films.rglob("*.mkv")
        assert film.read_text().endswith("the rest")


async def test_a_token_is_asked_for(tmp_path: Path) -> None:
    async with bench_at(tmp_path, new=False, token="secret" * 4) as bench:
        for path in ("/api/jobs", "/api/inbox/approve", "/api/jobs/manual"):
            assert await bench.client.code("POST", path, json={}) == (401, "signed_out")
        wrong = {"authorization": "Bearer no"}
        assert await bench.client.code("POST", "/api/jobs", headers=wrong) == (401, "wrong_token")
