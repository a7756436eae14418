"""From files in a folder to a library and back, as a person does it."""

from pathlib import Path

import pytest

from tests.media.workbench import FIREFLY, bench_at

pytestmark = pytest.mark.anyio


async def test_preview_execute_and_undo(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.release()
        before = bench.tree()
        job = await bench.start(action="move")
        assert (job["kind"], job["status"]) == ("manual", "ready")
        assert job["items"]["ready"] == job["progress"]["total"] == 3
        film, *episodes = sorted(await bench.items(job["jobId"]), key=lambda one: one["path"])[::-1]
        assert film["match"]["best"]["title"] == "Inception"
        assert Path(film["target"]).is_relative_to(bench.films)
        assert len(film["companions"]) == 2
        assert all(Path(one["target"]).is_relative_to(bench.shows) for one in episodes)
        assert bench.tree() == before

        job = await bench.execute(job["jobId"])
        assert (job["status"], job["items"]["done"], job["error"]) == ("done", 3, None)
        names = sorted(path.name for path in Path(film["target"]).parent.iterdir())
        assert [name.partition(")")[2] for name in names] == [".de.srt", ".en.forced.srt", ".mkv"]
        # A sample is worth nothing, but it is not ours to delete.
        left = [str(path.relative_to(bench.downloads)) for path in bench.downloads.rglob("*.*")]
        assert left and FIREFLY not in left and not (bench.downloads / FIREFLY).exists()

        undone = await bench.ask("POST", f"/api/jobs/{job['jobId']}/undo")
        assert undone["failed"] == []
        assert bench.tree() == before
        job = await bench.ask("GET", f"/api/jobs/{job['jobId']}")
        assert (job["status"], job["items"]["undone"]) == ("undone", 3)
        # And once more.
        await bench.preview(job["jobId"], action="move")
        assert (await bench.execute(job["jobId"]))["items"]["done"] == 3


async def test_a_test_run_touches_nothing(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.release()
        before = bench.tree()
        job = await bench.start()
        assert (await bench.execute(job["jobId"]))["status"] == "ready"
        assert bench.tree() == before
        assert (await bench.ask("GET", "/api/history"))["entries"] == []


async def test_items_are_changed_by_hand(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.file("Total Recall.mkv")
        bench.file("zzz.mkv")
        bench.file("Heat.1995.mkv")
        job = await bench.start(action="move")
        id = job["jobId"]
        unsure = await bench.items(id, state="needs_review")
        by_name = {Path(one["path"]).name: one for one in await bench.items(id)}
        assert {Path(one["path"]).name for one in unsure} == {"Total Recall.mkv", "zzz.mkv"}

        recall, unknown = by_name["Total Recall.mkv"], by_name["zzz.mkv"]
        other = [
            recall["match"]["best"],
            *(o["candidate"] for o in recall["match"]["alternatives"]),
        ]
        film = next(one for one in other if one["year"] == 1990)
        match = {"provider": film["provider"], "id": film["id"], "kind": "movie"}
        (chosen,) = await bench.change(id, recall["id"], match=match, remember=True)
        assert (chosen["state"], chosen["confidence"]) == ("ready", 1.0)
        assert "(1990)" in chosen["target"]
        (moved,) = await bench.change(id, unknown["id"], targetPath="Odd/Thing")
        assert (moved["state"], moved["target"]) == ("ready", f"{bench.films}/Odd/Thing.mkv")
        (out,) = await bench.change(id, by_name["Heat.1995.mkv"]["id"], excluded=True)
        assert out["state"] == "skipped"

        for path, code in {
            "/etc/passwd": (403, "outside_folders"),
            "../../x.mkv": (400, "path_invalid"),
            f"{bench.films}/../x": (400, "path_invalid"),
        }.items():
            body: dict[str, object] = {"itemIds": [unknown["id"]], "targetPath": path}
            assert await bench.client.code("PATCH", f"/api/jobs/{id}/items", json=body) == code
        job = await bench.execute(id)
        assert (job["status"], job["items"]["done"], job["items"]["skipped"]) == ("done", 2, 1)
        assert (bench.films / "Odd/Thing.mkv").exists()
        body = {"itemIds": [unknown["id"]], "excluded": True}
        busy = await bench.client.code("PATCH", f"/api/jobs/{id}/items", json=body)
        assert busy == (409, "item_done")

        bench.file("more/Total Recall.mkv")
        job = await bench.start(bench.downloads / "more")
        assert job["items"]["ready"] == 1  # learned


async def test_a_match_less_sure_than_the_settings_want_is_not_suggested(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.file("Inception.mkv")
        settings = await bench.ask("GET", "/api/settings")
        job = await bench.start()
        (item,) = await bench.items(job["jobId"])
        guess, sure = item["match"]["best"], item["confidence"]
        assert item["target"] and settings["suggestThreshold"] < sure < settings["autoThreshold"]

        settings["suggestThreshold"] = 0.8
        await bench.ask("PUT", "/api/settings", json=settings)
        await bench.preview(job["jobId"], rematch=True)
        (item,) = await bench.items(job["jobId"])
        assert (item["state"], item["match"]["best"]) == ("needs_review", None)
        assert (item["target"], item["confidence"]) == (None, 0.0)
        assert item["match"]["alternatives"][0] == {"candidate": guess, "score": sure}
        assert item["reasons"] == ["title_exact", "year_missing", "below_threshold"]

        # Whoever wants it done although it is less sure wants it suggested, too.
        job = await bench.preview(job["jobId"], threshold=0.7)
        (item,) = await bench.items(job["jobId"])
        assert (item["state"], item["match"]["best"]) == ("ready", guess)


async def test_what_a_name_or_a_person_said_is_always_suggested(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.file("Firefly.S01.mkv")
        job = await bench.start()
        (item,) = await bench.items(job["jobId"])
        assert item["match"]["best"] is None
        series = item["match"]["alternatives"][0]["candidate"]
        match = {"provider": series["provider"], "id": series["id"], "kind": "series"}
        (chosen,) = await bench.change(job["jobId"], item["id"], match=match, remember=True)
        job = await bench.start()
        (learned,) = await bench.items(job["jobId"])
        for one in (chosen, learned):
            assert (one["match"]["best"]["title"], one["confidence"]) == ("Firefly", 0.5)


async def test_pages_filters_and_lists(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.release()
        job = await bench.start()
        path = f"/api/jobs/{job['jobId']}/items"
        first = await bench.ask("GET", path, params={"limit": 2})
        rest = await bench.ask("GET", path, params={"limit": 2, "cursor": first["cursor"]})
        assert (len(first["items"]), len(rest["items"]), rest["cursor"]) == (2, 1, None)
        assert len(await bench.items(job["jobId"], q="FIREFLY.S01e05")) == 1
        assert len(await bench.items(job["jobId"], state=["ready", "done"])) == 3
        assert await bench.items(job["jobId"], state="failed") == []
        again = await bench.start()
        jobs = (await bench.ask("GET", "/api/jobs"))["jobs"]
        assert [one["jobId"] for one in jobs] == [again["jobId"], job["jobId"]]
        page = await bench.ask("GET", "/api/jobs", params={"limit": 1, "status": "ready"})
        assert page["cursor"] == again["jobId"]
        await bench.ask("DELETE", f"/api/jobs/{again['jobId']}", 204)
        assert await bench.client.code("GET", f"/api/jobs/{again['jobId']}") == (
            404,
            "job_not_found",
        )
        board = await bench.ask("GET", "/api/dashboard")
        assert (board["jobs"], board["inbox"], board["running"]) == ({"ready": 1}, 0, [])


@pytest.mark.parametrize("id", ["0", "-1", str(2**63), str(10**40), "1e309", "..%2f1", "x"])
async def test_hostile_8_strange_ids(tmp_path: Path, id: str) -> None:
    async with bench_at(tmp_path) as bench:
        for path in (f"/api/jobs/{id}", f"/api/jobs/{id}/items"):
            assert (await bench.client.get(path)).status_code == 404


async def test_refused_before_it_exists(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        here = str(bench.downloads)
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
            got = await bench.client.code("POST", "/api/jobs/manual", json=body)
            assert got == code, body


async def test_nothing_to_do(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.file("readme.txt")
        bench.file("Heat.1995.mkv.part")
        bench.file("Heat.1995.mkv.app-bak-1600000000000")
        bench.file("growing/Heat.1995.mkv")
        bench.file("growing/Heat.1995.mkv.aria2")
        job = await bench.start()
        assert (job["status"], job["error"]["code"]) == ("done", "no_files")
        got = await bench.client.code("POST", f"/api/jobs/{job['jobId']}/execute", json={})
        assert got == (409, "nothing_ready")
