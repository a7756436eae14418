"""The route for download clients, in every way they call it."""

import asyncio
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from quartet.media.jobs.preview.scan import Scan
from quartet.media.jobs.records import ItemRecord
from quartet.media.moves.service import Moves
from quartet.media.roots.path_encoding import decode_path
from tests.media.job_harness import SECONDS, JobHarness, job_harness_at

pytestmark = pytest.mark.anyio


async def call_hook(harness: JobHarness, **options: Any) -> Any:
    answer = await harness.ask("POST", "/api/jobs", 202, **options)
    assert answer["url"] == f"/rename?job={answer['jobId']}"
    return await harness.wait_until_idle(answer["jobId"])


@pytest.mark.parametrize("way", ["json", "data", "files", "params", "both", "empty"])
async def test_hook_accepts_every_request_format(tmp_path: Path, way: str) -> None:
    async with job_harness_at(tmp_path) as harness:
        path = str(harness.file("Heat.1995.mkv"))
        fields = {"path": path, "watchFolder": "", "target": "", "review": "", "threshold": ""}
        options: dict[str, Any] = {way: fields}
        if way == "files":
            options = {"files": {name: (None, text) for name, text in fields.items()}}
        elif way == "both":
            options = {"params": {"path": "/etc", "review": "1"}, "json": {**fields, "review": 0}}
        elif way == "empty":
            options = {"params": fields, "json": dict.fromkeys(fields, "")}
        job = await call_hook(harness, **options)
        assert (job["kind"], job["status"]) == ("hook", "done")
        assert job["items"]["done"] == 1 and job["progress"] == {"done": 1, "total": 1}
        assert job["error"] is None and not Path(path).exists()


async def test_repeated_calls_return_the_same_job(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        folder = harness.file("Heat.1995/Heat.1995.mkv").parent
        harness.file("Heat.1995/notes.txt")
        both = await asyncio.gather(
            *(harness.ask("POST", "/api/jobs", 202, json={"path": str(folder)}) for _ in range(5))
        )
        (id,) = {one["jobId"] for one in both}
        assert (await harness.wait_until_idle(id))["status"] == "done"
        # The path still exists, without new files.
        assert (await call_hook(harness, json={"path": f"{folder}/"}))["jobId"] == id
        (folder / "notes.txt").unlink()
        folder.rmdir()
        assert (await call_hook(harness, json={"path": str(folder)}))["jobId"] == id
        # A new file is another job.
        harness.file("Heat.1995/Inception.2010.mkv")
        assert (await call_hook(harness, json={"path": str(folder)}))["jobId"] != id


async def test_file_added_after_scan_gets_another_job(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        folder = harness.file("tv/Heat.1995.mkv").parent
        call = {"json": {"path": str(folder)}}
        moves: Moves = harness.client.started.built.dependencies["moves"]  # type: ignore[assignment]
        over = threading.Event()
        long = asyncio.create_task(moves.run_exclusively(lambda _stopping: over.wait(SECONDS)))
        first = await harness.ask("POST", "/api/jobs", 202, **call)
        await harness.until(f"/api/jobs/{first['jobId']}", lambda job: job["status"] == "executing")
        assert (await harness.ask("POST", "/api/jobs", 202, **call))["jobId"] == first["jobId"]
        harness.file("tv/Inception.2010.mkv")
        second = await harness.ask("POST", "/api/jobs", 202, **call)
        assert second["jobId"] != first["jobId"]
        assert (await harness.ask("POST", "/api/jobs", 202, **call))["jobId"] == second["jobId"]
        over.set()
        await long
        for job in (first, second):
            # Each file belongs to one of them.
            items = (await harness.wait_until_idle(job["jobId"]))["items"]
            assert {state: count for state, count in items.items() if count} == {"done": 1}
        assert (await call_hook(harness, **call))["jobId"] == second["jobId"]


async def test_item_in_inbox_does_not_block_new_files(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        folder = harness.file("tv/zzz.mkv").parent
        first = await call_hook(harness, json={"path": str(folder)})
        assert first["status"] == "ready"
        assert (await call_hook(harness, json={"path": str(folder)}))["jobId"] == first["jobId"]
        heat = harness.file("tv/Heat.1995.mkv")
        second = await call_hook(harness, json={"path": str(folder)})
        assert (second["status"], second["items"]["done"]) == ("done", 1)
        assert not heat.exists() and (await harness.ask("GET", "/api/inbox"))["total"] == 1


async def test_call_with_other_options_is_another_job(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        path = str(harness.file("Heat.1995.mkv"))
        first = await call_hook(harness, json={"path": path, "review": True})
        target = str(harness.films / "new")
        calls = [
            {"path": path, "target": target, "review": True},
            {"path": path, "threshold": 1, "review": True},
        ]
        ids = [(await call_hook(harness, json=call))["jobId"] for call in calls]
        assert len({first["jobId"], *ids}) == 3
        # A repeated call still returns the same job, even after a user changed the job.
        await harness.preview(ids[0], action="move", review=True, language="de")
        assert [(await call_hook(harness, json=call))["jobId"] for call in calls] == ids
        again = await call_hook(harness, json={"path": path, "review": True})
        assert again["jobId"] == first["jobId"]


async def test_file_added_during_scan_joins_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with job_harness_at(tmp_path) as harness:
        folder = harness.file("tv/Heat.1995.mkv").parent
        loop, real = asyncio.get_running_loop(), Scan.items
        looks: list[Scan] = []
        late: list[int] = []

        async def call() -> Any:
            return await harness.ask("POST", "/api/jobs", 202, json={"path": str(folder)})

        def items(scan: Scan, paths: Sequence[str]) -> Iterator[ItemRecord]:
            found = list(real(scan, paths))
            if scan._job_id:
                looks.append(scan)
            if len(looks) == 2 and not late:  # the first scan only checked for growing files
                harness.file("tv/Inception.2010.mkv")
                late.append(asyncio.run_coroutine_threadsafe(call(), loop).result(10)["jobId"])
            yield from found

        monkeypatch.setattr("quartet.media.jobs.preview.builder.Scan.items", items)
        job = await harness.wait_until_idle((await call())["jobId"])
        assert late == [job["jobId"]] and job["items"]["done"] == 2


async def test_file_is_copied_once(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        path = harness.file("Heat.1995.mkv")
        watched = {"name": "Films", "path": str(harness.downloads), "action": "copy"}
        folder = await harness.ask(
            "POST", "/api/watch-folders", 201, json={**watched, "enabled": False}
        )
        first = await call_hook(harness, json={"path": str(path), "watchFolder": "fILMS"})
        assert (first["config"]["action"], first["watchFolderId"]) == ("copy", folder["id"])
        again = await call_hook(harness, json={"path": str(path), "watchFolder": folder["id"]})
        assert again["jobId"] == first["jobId"] and path.exists()
        # Changed settings of the folder apply to later calls only.
        changed = {**watched, "enabled": False, "language": "de", "conflictPolicy": "suffix"}
        await harness.ask("PUT", f"/api/watch-folders/{folder['id']}", json=changed)
        again = await call_hook(harness, json={"path": str(path), "watchFolder": folder["id"]})
        assert again["jobId"] == first["jobId"]
        harness.file("Heat.1995.mkv", "another one")
        third = await call_hook(
            harness, params={"path": str(path), "watchFolder": str(folder["id"])}
        )
        assert third["jobId"] != first["jobId"]


async def test_watch_folder_id_has_precedence_over_name(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        path = harness.file("Heat.1995.mkv")
        for name, inner in (("2", "a"), ("Other", "b")):
            (harness.downloads / inner).mkdir()
            body = {"name": name, "path": str(harness.downloads / inner), "enabled": False}
            await harness.ask("POST", "/api/watch-folders", 201, json=body)
        job = await call_hook(harness, json={"path": str(path), "watchFolder": "2"})
        assert job["watchFolderId"] == 2


@pytest.mark.parametrize("way", ["form", "query"])
async def test_paths_that_are_not_utf8(tmp_path: Path, way: str) -> None:
    async with job_harness_at(tmp_path) as harness:
        # A name that is not UTF-8, and one with the replacement character.
        names = b"Caf\xe9", b"Caf\xef\xbf\xbdE9"
        for name in names:
            folder = harness.downloads / os.fsdecode(name)
            harness.file(f"{folder.name}/Heat.1995.mkv", "film")
            body = f"path={quote(os.fsencode(folder))}&target={quote(os.fsencode(folder))}&review=1"
            if way == "form":
                head = {"content-type": "application/x-www-form-urlencoded"}
                answer = await harness.client.post("/api/jobs", content=body, headers=head)
            else:
                answer = await harness.client.post(f"/api/jobs?{body}")
            assert answer.status_code == 202, answer.text
            job = await harness.wait_until_idle(answer.json()["jobId"])
            assert job["items"]["needs_review"] == 1
            assert (
                decode_path(job["paths"][0]) == decode_path(job["config"]["target"]) == str(folder)
            )


async def test_paths_of_other_containers_are_mapped(tmp_path: Path) -> None:
    maps = (f"/data:{tmp_path}/downloads", f"/data/lib:{tmp_path}/films", "/data2:/elsewhere")
    async with job_harness_at(tmp_path, path_map=maps) as harness:
        harness.file("Heat.1995.mkv")
        job = await call_hook(
            harness, json={"path": "/data/Heat.1995.mkv", "target": "/data/lib/new"}
        )
        assert job["paths"] == [str(harness.downloads / "Heat.1995.mkv")]
        assert job["items"]["done"] == 1 and list((harness.films / "new").iterdir())
        got = await harness.client.code("POST", "/api/jobs", json={"path": "/data2/x"})
        assert got == (403, "outside_folders")


async def test_hostile_8_and_9_invalid_calls_are_refused(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        here = str(harness.file("Heat.1995.mkv"))
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
            ({"path": f"{harness.downloads}/../../etc"}, (403, "outside_folders")),
            ({"path": f"{harness.downloads}/none"}, (404, "not_found")),
        ):
            assert await harness.client.code("POST", "/api/jobs", json=body) == code, body
        for raw, answer in ((b"{", "bad_json"), (b"[1]", "not_an_object"), (b"\xff", "bad_json")):
            headers = {"content-type": "application/json"}
            got = await harness.client.code("POST", "/api/jobs", content=raw, headers=headers)
            assert got == (400, answer)
        big = b'{"path": "' + b"x" * 11_000_000 + b'"}'
        assert (await harness.client.post("/api/jobs", content=big)).status_code in (400, 413)


async def test_call_without_library_is_refused(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        for folder in await harness.ask("GET", "/api/folders"):
            if folder["kind"] != "folder":
                await harness.ask("DELETE", f"/api/folders/{folder['id']}", 204)
        path = str(harness.file("Heat.1995.mkv"))
        got = await harness.client.code("POST", "/api/jobs", json={"path": path})
        assert got == (400, "no_target_folder")


async def test_growing_file_is_waited_for(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        path = harness.file("Heat.1995.mkv", fresh=True)
        answer = await harness.ask("POST", "/api/jobs", 202, json={"path": str(path)})
        with path.open("a") as file:
            file.write("the rest")
        job = await harness.wait_until_idle(answer["jobId"])
        assert job["items"]["done"] == 1
        (make_video,) = harness.films.rglob("*.mkv")
        assert make_video.read_text().endswith("the rest")


async def test_token_is_required(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path, new=False, token="secret" * 4) as harness:
        for path in ("/api/jobs", "/api/inbox/approve", "/api/jobs/manual"):
            assert await harness.client.code("POST", path, json={}) == (401, "signed_out")
        wrong = {"authorization": "Bearer no"}
        assert await harness.client.code("POST", "/api/jobs", headers=wrong) == (401, "wrong_token")


async def test_folders_of_the_client_stay(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        category = harness.file("complete/movies/Heat.1995.mkv").parent
        release = harness.file("complete/tv/Firefly.S01/Firefly.S01E05.mkv").parent
        for path in (category / "Heat.1995.mkv", release):
            job = await harness.ask("POST", "/api/jobs", 202, json={"path": str(path)})
            await harness.until(f"/api/jobs/{job['jobId']}", lambda one: one["status"] == "done")
        assert list(category.iterdir()) == []
        assert list(release.parent.iterdir()) == []
