"""Clock jumps, and files with old or future times."""

import os
import time
from pathlib import Path

import pytest

from tests.media.job_harness import job_harness_at

pytestmark = pytest.mark.anyio

HOUR_NS = 3600 * 10**9
FUTURE_NS = 4_000_000_000 * 10**9


@pytest.mark.parametrize("mtime_ns", [0, FUTURE_NS], ids=["1970", "2096"])
async def test_file_with_odd_time_is_moved_immediately(tmp_path: Path, mtime_ns: int) -> None:
    async with job_harness_at(tmp_path) as harness:
        path = harness.file("Heat.1995.mkv")
        os.utime(path, ns=(mtime_ns, mtime_ns))
        answer = await harness.ask("POST", "/api/jobs", 202, json={"path": str(path)})
        job = await harness.wait_until_idle(answer["jobId"])
        assert job["items"]["done"] == 1
        (make_video,) = harness.films.rglob("*.mkv")
        assert make_video.stat().st_mtime_ns == mtime_ns


async def test_history_order_survives_clock_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = time.time_ns
    async with job_harness_at(tmp_path) as harness:
        harness.file("Heat.1995.mkv")
        first = await harness.start(action="move")
        await harness.execute(first["jobId"])
        monkeypatch.setattr(time, "time_ns", lambda: real() - HOUR_NS)
        harness.file("1917.2019.mkv")
        second = await harness.start(action="move")
        await harness.execute(second["jobId"])
        entries = (await harness.ask("GET", "/api/history"))["entries"]
        assert [entry["jobId"] for entry in entries] == [second["jobId"], first["jobId"]]
        for job in (second, first):
            undone = await harness.ask("POST", f"/api/jobs/{job['jobId']}/undo")
            assert undone["failed"] == []
        assert {Path(path).name for path in harness.tree()} == {"Heat.1995.mkv", "1917.2019.mkv"}
