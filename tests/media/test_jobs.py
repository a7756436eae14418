"""Jobs from preview to execution and undo."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from quartet.media.moves.junk_names import LARGEST_SAMPLE
from tests.media.job_harness import job_harness_at

pytestmark = pytest.mark.anyio


async def test_preview_execute_and_undo(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.release()
        before = harness.tree()
        job = await harness.start(action="move")
        assert (job["kind"], job["status"]) == ("manual", "ready")
        assert job["items"]["ready"] == job["progress"]["total"] == 3
        make_video, *episodes = sorted(
            await harness.items(job["jobId"]), key=lambda one: one["path"]
        )[::-1]
        assert make_video["match"]["best"]["title"] == "Inception"
        assert Path(make_video["target"]).is_relative_to(harness.films)
        assert len(make_video["companions"]) == 2
        assert all(Path(one["target"]).is_relative_to(harness.shows) for one in episodes)
        assert harness.tree() == before

        job = await harness.execute(job["jobId"])
        assert (job["status"], job["items"]["done"], job["error"]) == ("done", 3, None)
        names = sorted(path.name for path in Path(make_video["target"]).parent.iterdir())
        assert [name.partition(")")[2] for name in names] == [".de.srt", ".en.forced.srt", ".mkv"]
        # The sample and the link are junk, so that nothing keeps the folders.
        left = [path.name for path in harness.downloads.iterdir() if path.name[0] != "."]
        assert (left, job["cleaned"]["removed"]) == ([], 2)

        undone = await harness.ask("POST", f"/api/jobs/{job['jobId']}/undo")
        assert undone["failed"] == []
        assert harness.tree() == before
        job = await harness.ask("GET", f"/api/jobs/{job['jobId']}")
        assert (job["status"], job["items"]["undone"]) == ("undone", 3)
        # Run it again.
        await harness.preview(job["jobId"], action="move")
        assert (await harness.execute(job["jobId"]))["items"]["done"] == 3


async def test_test_run_changes_nothing(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.release()
        with harness.file("Sample.This.2012.mkv").open("r+b") as movie:
            movie.truncate(LARGEST_SAMPLE + 1)
        before = harness.tree()
        job = await harness.start()
        # The sample of the release is ignored, but not the large movie.
        assert job["progress"]["total"] == 4
        assert (await harness.execute(job["jobId"]))["status"] == "ready"
        assert harness.tree() == before
        assert (await harness.ask("GET", "/api/history"))["entries"] == []


async def test_items_can_be_changed_manually(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("Total Recall.mkv")
        harness.file("zzz.mkv")
        harness.file("Heat.1995.mkv")
        job = await harness.start(action="move")
        id = job["jobId"]
        unsure = await harness.items(id, state="needs_review")
        by_name = {Path(one["path"]).name: one for one in await harness.items(id)}
        assert {Path(one["path"]).name for one in unsure} == {"Total Recall.mkv", "zzz.mkv"}

        recall, unknown = by_name["Total Recall.mkv"], by_name["zzz.mkv"]
        other = [
            recall["match"]["best"],
            *(o["candidate"] for o in recall["match"]["alternatives"]),
        ]
        make_video = next(one for one in other if one["year"] == 1990)
        match = {"provider": make_video["provider"], "id": make_video["id"], "kind": "movie"}
        (chosen,) = await harness.change(id, recall["id"], match=match, remember=True)
        assert (chosen["state"], chosen["confidence"]) == ("ready", 1.0)
        assert "(1990)" in chosen["target"]
        (moved,) = await harness.change(id, unknown["id"], targetPath="Odd/Thing")
        assert (moved["state"], moved["target"]) == ("ready", f"{harness.films}/Odd/Thing.mkv")
        (out,) = await harness.change(id, by_name["Heat.1995.mkv"]["id"], excluded=True)
        assert out["state"] == "skipped"

        for path, code in {
            "/etc/passwd": (403, "outside_folders"),
            "../../x.mkv": (400, "path_invalid"),
            f"{harness.films}/../x": (400, "path_invalid"),
        }.items():
            body: dict[str, object] = {"itemIds": [unknown["id"]], "targetPath": path}
            assert await harness.client.code("PATCH", f"/api/jobs/{id}/items", json=body) == code
        job = await harness.execute(id)
        assert (job["status"], job["items"]["done"], job["items"]["skipped"]) == ("done", 2, 1)
        assert (harness.films / "Odd/Thing.mkv").exists()
        body = {"itemIds": [unknown["id"]], "excluded": True}
        busy = await harness.client.code("PATCH", f"/api/jobs/{id}/items", json=body)
        assert busy == (409, "item_done")

        harness.file("more/Total Recall.mkv")
        job = await harness.start(harness.downloads / "more")
        assert job["items"]["ready"] == 1  # learned


async def test_match_below_suggest_threshold_is_not_suggested(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("Inception.mkv")
        settings = await harness.ask("GET", "/api/settings")
        job = await harness.start()
        (item,) = await harness.items(job["jobId"])
        guess, sure = item["match"]["best"], item["confidence"]
        assert item["target"] and settings["suggestThreshold"] < sure < settings["autoThreshold"]

        settings["suggestThreshold"] = 0.8
        await harness.ask("PUT", "/api/settings", json=settings)
        await harness.preview(job["jobId"], rematch=True)
        (item,) = await harness.items(job["jobId"])
        assert (item["state"], item["match"]["best"]) == ("needs_review", None)
        assert (item["target"], item["confidence"]) == (None, 0.0)
        assert item["match"]["alternatives"][0] == {"candidate": guess, "score": sure}
        assert item["reasons"] == ["title_exact", "year_missing", "below_threshold"]

        # A lower job threshold also lowers the limit for suggestions.
        job = await harness.preview(job["jobId"], threshold=0.7)
        (item,) = await harness.items(job["jobId"])
        assert (item["state"], item["match"]["best"]) == ("ready", guess)


async def test_match_by_id_or_user_is_always_suggested(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("Firefly.S01.mkv")
        job = await harness.start()
        (item,) = await harness.items(job["jobId"])
        assert item["match"]["best"] is None
        series = item["match"]["alternatives"][0]["candidate"]
        match = {"provider": series["provider"], "id": series["id"], "kind": "series"}
        (chosen,) = await harness.change(job["jobId"], item["id"], match=match, remember=True)
        job = await harness.start()
        (learned,) = await harness.items(job["jobId"])
        for one in (chosen, learned):
            assert (one["match"]["best"]["title"], one["confidence"]) == ("Firefly", 0.5)


async def test_paging_and_filters(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.release()
        job = await harness.start()
        path = f"/api/jobs/{job['jobId']}/items"
        first = await harness.ask("GET", path, params={"limit": 2})
        rest = await harness.ask("GET", path, params={"limit": 2, "cursor": first["cursor"]})
        assert (len(first["items"]), len(rest["items"]), rest["cursor"]) == (2, 1, None)
        assert len(await harness.items(job["jobId"], q="FIREFLY.S01e05")) == 1
        assert len(await harness.items(job["jobId"], state=["ready", "done"])) == 3
        assert await harness.items(job["jobId"], state="failed") == []
        again = await harness.start()
        jobs = (await harness.ask("GET", "/api/jobs"))["jobs"]
        assert [one["jobId"] for one in jobs] == [again["jobId"], job["jobId"]]
        page = await harness.ask("GET", "/api/jobs", params={"limit": 1, "status": "ready"})
        assert page["cursor"] == again["jobId"]
        await harness.ask("DELETE", f"/api/jobs/{again['jobId']}", 204)
        assert await harness.client.code("GET", f"/api/jobs/{again['jobId']}") == (
            404,
            "job_not_found",
        )
        board = await harness.ask("GET", "/api/dashboard")
        assert (board["jobs"], board["inbox"], board["running"]) == ({"ready": 1}, 0, [])


@pytest.mark.parametrize("id", ["0", "-1", str(2**63), str(10**40), "1e309", "..%2f1", "x"])
async def test_hostile_8_invalid_job_ids(tmp_path: Path, id: str) -> None:
    async with job_harness_at(tmp_path) as harness:
        for path in (f"/api/jobs/{id}", f"/api/jobs/{id}/items"):
            assert (await harness.client.get(path)).status_code == 404


async def test_invalid_jobs_are_refused(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        here = str(harness.downloads)
        for body, code in (
            ({"paths": ["/etc/passwd"]}, (403, "outside_folders")),
            ({"paths": ["/etc/none"]}, (403, "outside_folders")),
            ({"paths": [f"{here}/none"]}, (404, "not_found")),
            ({"paths": []}, (400, "invalid_request")),
            ({"paths": [here] * 101}, (400, "invalid_request")),
            ({"paths": [here], "target": "/etc"}, (403, "outside_folders")),
            ({"paths": [here], "mode": "rules"}, (400, "rules_missing")),
            ({"paths": [here], "mode": "rules", "ruleSet": 9}, (404, "rule_set_not_found")),
            ({"paths": [here], "formats": {"movie": "x"}}, (404, "format_not_found")),
            ({"paths": [here], "templates": {"movie": "{n"}}, (400, "template_unclosed_brace")),
        ):
            got = await harness.client.code("POST", "/api/jobs/manual", json=body)
            assert got == code, body


async def test_job_without_files_is_done(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("readme.txt")
        harness.file("Heat.1995.mkv.part")
        harness.file("Heat.1995.mkv.app-bak-1600000000000")
        harness.file("growing/Heat.1995.mkv")
        harness.file("growing/Heat.1995.mkv.aria2")
        job = await harness.start()
        assert (job["status"], job["error"]["code"]) == ("done", "no_files")
        got = await harness.client.code("POST", f"/api/jobs/{job['jobId']}/execute", json={})
        assert got == (409, "nothing_ready")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/jobs/manual", {"paths": ["/x"]}),
        ("POST", "/api/jobs/1/preview", {}),
        ("POST", "/api/jobs/1/execute", {}),
        ("PATCH", "/api/jobs/1/items", {"itemIds": [1]}),
        ("POST", "/api/folders", {"path": "/x"}),
        ("PATCH", "/api/folders/1", {}),
        ("POST", "/api/formats", {"name": "a", "kind": "movie", "template": "{n}"}),
        ("POST", "/api/history/undo", {"jobId": 1}),
        ("POST", "/api/inbox/approve", {"itemIds": [1]}),
        ("POST", "/api/inbox/reject", {"itemIds": [1]}),
        ("PUT", "/api/notifications", {}),
        ("POST", "/api/notifications/test", {"list": "servers", "index": 0}),
        ("POST", "/api/overrides/forget", {"kind": "movie", "title": "a", "year": 1999}),
        ("POST", "/api/rule-sets/import", {"yaml": "name: a"}),
        ("POST", "/api/rules/preview", {"paths": [], "rules": []}),
        ("PUT", "/api/settings", {}),
    ],
)
async def test_unknown_fields_are_refused(
    tmp_path: Path, method: str, path: str, body: dict[str, Any]
) -> None:
    """Rule sets and watch folders may have more: clients send them back as they were read."""
    async with job_harness_at(tmp_path) as at:
        answer = await at.client.request(method, path, json={**body, "confilctPolicy": "skip"})
        assert answer.status_code == 400, answer.text
        assert "confilctPolicy" in answer.text


async def test_execution_begins_without_progress(tmp_path: Path) -> None:
    """The progress of the preview would look as if everything were done."""
    async with job_harness_at(tmp_path) as harness:
        harness.release()
        id = (await harness.start(action="move"))["jobId"]
        events = harness.client.started.kernel.events
        async with events.subscribe() as news:
            await harness.execute(id)
            frames = await news.batch(0)
        changes = [msgspec.json.decode(frame.data) for frame in frames]
        queued = next(one for one in changes if one.get("status") == "queued")
        assert (queued["done"], queued["total"]) == (0, 3)
