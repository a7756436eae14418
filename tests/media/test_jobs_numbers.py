"""Users correct the numbers that were read from names."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.media.job_harness import JobHarness, job_harness_at

pytestmark = pytest.mark.anyio


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[JobHarness]:
    async with job_harness_at(tmp_path) as jobs:
        yield jobs


async def previewed(jobs: JobHarness, *names: str) -> tuple[int, list[Any]]:
    for name in names:
        jobs.file(f"{name}.mkv")
    job = await jobs.start()
    items = await jobs.items(job["jobId"])
    return job["jobId"], sorted(items, key=lambda item: str(item["path"]))


def episodes_of(item: Any) -> list[tuple[int, int]]:
    return [(one["season"], one["episode"]) for one in item["match"]["episodes"]]


async def test_wrong_number_is_corrected_and_changes_target(jobs: JobHarness) -> None:
    job, [item] = await previewed(jobs, "Firefly.S01E05.720p")
    [changed] = await jobs.change(job, item["id"], numbers={"season": 1, "episodes": [7]})
    assert episodes_of(changed) == [(1, 7)]
    assert "S01E07" in changed["target"]
    assert (changed["state"], changed["confidence"]) == ("ready", 1.0)
    # The series is the same as before.
    assert changed["match"]["best"]["id"] == item["match"]["best"]["id"]


async def test_corrected_number_is_kept_when_catalogs_are_searched_again(jobs: JobHarness) -> None:
    job, [item] = await previewed(jobs, "Firefly.S01E05.720p")
    await jobs.change(job, item["id"], numbers={"episodes": [7]})
    await jobs.preview(job, rematch=True)
    [changed] = await jobs.items(job)
    assert episodes_of(changed) == [(1, 7)]


async def test_items_are_numbered_in_requested_order(jobs: JobHarness) -> None:
    job, items = await previewed(jobs, "Firefly a", "Firefly b S01E01E02", "Firefly c")
    ids = [item["id"] for item in reversed(items)]
    changed = await jobs.change(job, *ids, numbers={"season": 1, "firstEpisode": 3})
    found = {Path(one["path"]).stem: episodes_of(one) for one in changed}
    assert found == {
        "Firefly c": [(1, 3)],
        # A file with two episodes keeps two.
        "Firefly b S01E01E02": [(1, 4), (1, 5)],
        "Firefly a": [(1, 6)],
    }


async def test_shift_moves_every_number(jobs: JobHarness) -> None:
    job, items = await previewed(jobs, "Firefly.S01E05", "Firefly.S01E06")
    ids = [item["id"] for item in items]
    changed = await jobs.change(job, *ids, numbers={"shift": -1})
    assert [episodes_of(one) for one in changed] == [[(1, 4)], [(1, 5)]]
    body = {"itemIds": ids, "numbers": {"shift": -100}}
    answer = await jobs.ask("PATCH", f"/api/jobs/{job}/items", 400, json=body)
    assert answer["code"] == "episode_negative"


async def test_absolute_number_is_not_read_in_another_way(jobs: JobHarness) -> None:
    job, [item] = await previewed(jobs, "Firefly.S01E05")
    [changed] = await jobs.change(job, item["id"], numbers={"season": None, "episodes": [2]})
    [episode] = changed["match"]["episodes"]
    assert episode["absolute"] == 2
    assert changed["confidence"] == 1.0


async def test_unknown_number_needs_review(jobs: JobHarness) -> None:
    job, [item] = await previewed(jobs, "Firefly.S01E05")
    [changed] = await jobs.change(job, item["id"], numbers={"episodes": [999]})
    assert changed["state"] == "needs_review"
    assert "episode_unknown" in changed["reasons"]


async def test_episode_becomes_movie_and_back(jobs: JobHarness) -> None:
    job, [item] = await previewed(jobs, "Inception.S01E02.2010.1080p")
    [movie] = await jobs.change(job, item["id"], numbers={"kind": "movie"})
    assert movie["match"]["best"]["kind"] == "movie"
    assert movie["target"].startswith(str(jobs.films))
    [series] = await jobs.change(
        job,
        item["id"],
        numbers={"kind": "episode", "season": 1, "episodes": [3]},
        match={"provider": "demo", "id": "firefly-2002", "kind": "series"},
    )
    assert episodes_of(series) == [(1, 3)]


async def test_part_of_movie_is_set(jobs: JobHarness) -> None:
    job, [item] = await previewed(jobs, "Inception.2010.1080p")
    [changed] = await jobs.change(job, item["id"], numbers={"part": 2})
    assert changed["parsed"]["part"] == 2
    [shifted] = await jobs.change(job, item["id"], numbers={"shift": 1})
    assert changed["match"]["best"]["kind"] == shifted["match"]["best"]["kind"] == "movie"


async def test_episodes_of_series_are_listed(jobs: JobHarness) -> None:
    _, [item] = await previewed(jobs, "Firefly.S01E05")
    best = item["match"]["best"]
    params = {"provider": best["provider"], "id": best["id"]}
    listed = await jobs.ask("GET", "/api/catalog/episodes", params=params)
    assert (1, 5) in {(one["season"], one["episode"]) for one in listed}
    assert all(one["title"] for one in listed)
