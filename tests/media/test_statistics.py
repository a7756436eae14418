"""Files moved per week, and the sizes of the libraries by day."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from quartet.kernel.clock import now_ms
from quartet.media.statistics.service import WEEKS, LibraryStatistics
from quartet.media.statistics.store import DAY_MS, WEEK_MS
from tests.media.job_harness import JobHarness, job_harness_at

pytestmark = pytest.mark.anyio


def statistics_at(harness: JobHarness, clock_ms: int) -> LibraryStatistics:
    given: dict[str, Any] = dict(harness.client.started.built.dependencies)
    return LibraryStatistics(harness.client.started.kernel, given["folders"], lambda: clock_ms)


async def test_files_per_week_count_moved_videos_until_they_are_undone(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.release()
        job = await harness.start(action="move")
        await harness.execute(job["jobId"])
        weeks = (await harness.ask("GET", "/api/statistics"))["weeks"]
        assert len(weeks) == WEEKS and weeks[-1]["start"] <= now_ms() < weeks[-1]["start"] + WEEK_MS
        # The movie and both episodes, without their subtitles.
        assert [week["files"] for week in weeks] == [0] * (WEEKS - 1) + [3]
        next_week = await statistics_at(harness, now_ms() + WEEK_MS).current()
        assert [week.files for week in next_week.weeks[-2:]] == [3, 0]
        await harness.ask("POST", "/api/history/undo", json={"jobId": job["jobId"]})
        weeks = (await harness.ask("GET", "/api/statistics"))["weeks"]
        assert weeks[-1]["files"] == 0


async def test_library_sizes_keep_one_value_per_day(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        today = now_ms()
        (harness.films / "Heat (1995)").mkdir(parents=True)
        (harness.films / "Heat (1995)" / "Heat.mkv").write_bytes(b"x" * 1000)
        (harness.films / ".trash.mkv").write_bytes(b"x" * 1000)
        await statistics_at(harness, today).measure()
        (harness.films / "Heat (1995)" / "Heat.srt").write_bytes(b"x" * 10)
        await statistics_at(harness, today).measure()
        await statistics_at(harness, today + DAY_MS).measure()
        libraries = (await harness.ask("GET", "/api/statistics"))["libraries"]
        days = next(each["days"] for each in libraries if each["kind"] == "movies")
        assert [(day["files"], day["bytes"]) for day in days] == [(2, 1010), (2, 1010)]


async def test_library_that_is_gone_is_not_counted_as_empty(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.shows.rename(tmp_path / "elsewhere")
        today = now_ms()
        await statistics_at(harness, today + DAY_MS).measure()
        libraries = (await harness.ask("GET", "/api/statistics"))["libraries"]
        days = next(each["days"] for each in libraries if each["kind"] == "series")
        assert all(day["day"] <= today for day in days)


async def test_libraries_are_measured_again_after_a_job(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.release()
        statistics = statistics_at(harness, now_ms())
        jobs: Any = harness.client.started.built.dependencies["jobs"]
        moved = asyncio.Event()
        jobs.completion.listeners += [
            statistics.job_finished,
            lambda result: moved.set() if result.done else None,
        ]
        await statistics.measure_if_due()
        job = await harness.start(action="move")
        await harness.execute(job["jobId"])
        # The listeners are called after the job has ended.
        await moved.wait()
        await statistics.measure_if_due()
        libraries = (await harness.ask("GET", "/api/statistics"))["libraries"]
        # The movie has two subtitles, an episode one.
        assert [each["days"][-1]["files"] for each in libraries] == [3, 3]
