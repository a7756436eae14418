"""What a download client calls, in all the ways they call."""

import asyncio
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from quartet.media.jobs.rows import ItemRow
from quartet.media.jobs.scan import Scan
from quartet.media.moves.service import Moves
from quartet.media.roots.texts import path_of
from tests.media.workbench import SECONDS, Bench, bench_at

pytestmark = pytest.mark.anyio


async def called(bench: Bench, **options: Any) -> Any:
    answer = await bench.ask("POST", "/api/jobs", 202, **options)
    assert answer["url"] == f"/jobs/{answer['jobId']}"
    return await bench.rested(answer["jobId"])


@pytest.mark.parametrize("way", ["json", "data", "files", "params", "both", "empty"])
async def test_every_way_to_call(tmp_path: Path, way: str) -> None:
    async with bench_at(tmp_path) as bench:
        path = str(bench.file("Heat.1995.mkv"))
        fields = {"path": path, "watchFolder": "", "target": "", "review": "", "threshold": ""}
        options: dict[str, Any] = {way: fields}
        if way == "files":
            options = {"files": {name: (None, text) for name, text in fields.items()}}
        elif way == "both":
            options = {"params": {"path": "/etc", "review": "1"}, "json": {**fields, "review": 0}}
        elif way == "empty":
            options = {"params": fields, "json": dict.fromkeys(fields, "")}
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


async def test_what_came_after_the_scan_is_another_job(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        folder = bench.file("tv/Heat.1995.mkv").parent
        call = {"json": {"path": str(folder)}}
        moves: Moves = bench.client.started.built.dependencies["moves"]  # type: ignore[assignment]
        over = threading.Event()
        long = asyncio.create_task(moves.alone(lambda _stopping: over.wait(SECONDS)))
        first = await bench.ask("POST", "/api/jobs", 202, **call)
        await bench.until(f"/api/jobs/{first['jobId']}", lambda job: job["status"] == "executing")
        assert (await bench.ask("POST", "/api/jobs", 202, **call))["jobId"] == first["jobId"]
        bench.file("tv/Inception.2010.mkv")
        second = await bench.ask("POST", "/api/jobs", 202, **call)
        assert second["jobId"] != first["jobId"]
        assert (await bench.ask("POST", "/api/jobs", 202, **call))["jobId"] == second["jobId"]
        over.set()
        await long
        for job in (first, second):
            # Each file belongs to one of them.
            items = (await bench.rested(job["jobId"]))["items"]
            assert {state: count for state, count in items.items() if count} == {"done": 1}
        assert (await called(bench, **call))["jobId"] == second["jobId"]


async def test_one_file_in_the_inbox_does_not_hold_up_others(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        folder = bench.file("tv/zzz.mkv").parent
        first = await called(bench, json={"path": str(folder)})
        assert first["status"] == "ready"
        assert (await called(bench, json={"path": str(folder)}))["jobId"] == first["jobId"]
        heat = bench.file("tv/Heat.1995.mkv")
        second = await called(bench, json={"path": str(folder)})
        assert (second["status"], second["items"]["done"]) == ("done", 1)
        assert not heat.exists() and (await bench.ask("GET", "/api/inbox"))["total"] == 1


async def test_other_wishes_are_another_job(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        path = str(bench.file("Heat.1995.mkv"))
        first = await called(bench, json={"path": path, "review": True})
        target = str(bench.films / "new")
        calls = [
            {"path": path, "target": target, "review": True},
            {"path": path, "threshold": 1, "review": True},
        ]
        ids = [(await called(bench, json=call))["jobId"] for call in calls]
        assert len({first["jobId"], *ids}) == 3
        # Each of them asked again is still the same, also when a person has changed the job.
        await bench.preview(ids[0], action="move", review=True, language="de")
        assert [(await called(bench, json=call))["jobId"] for call in calls] == ids
        again = await called(bench, json={"path": path, "review": True})
        assert again["jobId"] == first["jobId"]


async def test_a_file_that_comes_while_the_job_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench_at(tmp_path) as bench:
        folder = bench.file("tv/Heat.1995.mkv").parent
        loop, real = asyncio.get_running_loop(), Scan.items
        looks: list[Scan] = []
        late: list[int] = []

        async def call() -> Any:
            return await bench.ask("POST", "/api/jobs", 202, json={"path": str(folder)})

        def items(scan: Scan, paths: Sequence[str]) -> Iterator[ItemRow]:
            found = list(real(scan, paths))
            if scan._job_id:
                looks.append(scan)
            if len(looks) == 2 and not late:  # the first one was to see whether something grows
                bench.file("tv/Inception.2010.mkv")
                late.append(asyncio.run_coroutine_threadsafe(call(), loop).result(10)["jobId"])
            yield from found

        monkeypatch.setattr("quartet.media.jobs.analysis.Scan.items", items)
        job = await bench.rested((await call())["jobId"])
        assert late == [job["jobId"]] and job["items"]["done"] == 2


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
        # Other options of the folder are for what comes from now on.
        changed = {**watched, "enabled": False, "language": "de", "conflictPolicy": "suffix"}
        await bench.ask("PUT", f"/api/watch-folders/{folder['id']}", json=changed)
        again = await called(bench, json={"path": str(path), "watchFolder": folder["id"]})
        assert again["jobId"] == first["jobId"]
        bench.file("Heat.1995.mkv", "another one")
        third = await called(bench, params={"path": str(path), "watchFolder": str(folder["id"])})
        assert third["jobId"] != first["jobId"]


async def test_an_id_is_no_name(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        path = bench.file("Heat.1995.mkv")
        for name, inner in (("2", "a"), ("Other", "b")):
            (bench.downloads / inner).mkdir()
            body = {"name": name, "path": str(bench.downloads / inner), "enabled": False}
            await bench.ask("POST", "/api/watch-folders", 201, json=body)
        job = await called(bench, json={"path": str(path), "watchFolder": "2"})
        assert job["watchFolderId"] == 2


@pytest.mark.parametrize("way", ["form", "query"])
async def test_names_that_are_no_text(tmp_path: Path, way: str) -> None:
    async with bench_at(tmp_path) as bench:
        # No UTF-8, and the sign that stands for what is none.
        names = b"Caf\xe9", b"Caf\xef\xbf\xbdE9"
        for name in names:
            folder = bench.downloads / os.fsdecode(name)
            bench.file(f"{folder.name}/Heat.1995.mkv", "film")
            body = f"path={quote(os.fsencode(folder))}&target={quote(os.fsencode(folder))}&review=1"
            if way == "form":
                head = {"content-type": "application/x-www-form-urlencoded"}
                answer = await bench.client.post("/api/jobs", content=body, headers=head)
            else:
                answer = await bench.client.post(f"/api/jobs?{body}")
            assert answer.status_code == 202, answer.text
            job = await bench.rested(answer.json()["jobId"])
            assert job["items"]["needs_review"] == 1
            assert path_of(job["paths"][0]) == path_of(job["config"]["target"]) == str(folder)


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
