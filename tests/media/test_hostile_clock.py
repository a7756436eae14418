"""Hostile case of a clock that jumps, while files are old or from the future."""

import os
import time
from pathlib import Path

import pytest

from tests.media.workbench import bench_at

pytestmark = pytest.mark.anyio

HOUR_NS = 3600 * 10**9
FUTURE_NS = 4_000_000_000 * 10**9


@pytest.mark.parametrize("mtime_ns", [0, FUTURE_NS], ids=["1970", "2096"])
async def test_a_file_of_another_time_is_put_away_at_once(tmp_path: Path, mtime_ns: int) -> None:
    async with bench_at(tmp_path) as bench:
        path = bench.file("Heat.1995.mkv")
        os.utime(path, ns=(mtime_ns, mtime_ns))
        answer = await bench.ask("POST", "/api/jobs", 202, json={"path": str(path)})
        job = await bench.rested(answer["jobId"])
        assert job["items"]["done"] == 1
        (film,) = bench.films.rglob("*.mkv")
        assert film.stat().st_mtime_ns == mtime_ns


async def test_history_stays_in_order_when_the_clock_is_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = time.time_ns
    async with bench_at(tmp_path) as bench:
        bench.file("Heat.1995.mkv")
        first = await bench.start(action="move")
        await bench.execute(first["jobId"])
        monkeypatch.setattr(time, "time_ns", lambda: real() - HOUR_NS)
        bench.file("1917.2019.mkv")
        second = await bench.start(action="move")
        await bench.execute(second["jobId"])
        entries = (await bench.ask("GET", "/api/history"))["entries"]
        assert [entry["jobId"] for entry in entries] == [second["jobId"], first["jobId"]]
        for job in (second, first):
            undone = await bench.ask("POST", f"/api/jobs/{job['jobId']}/undo")
            assert undone["failed"] == []
        assert {Path(path).name for path in bench.tree()} == {"Heat.1995.mkv", "1917.2019.mkv"}
