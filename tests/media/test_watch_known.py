"""A file a job has had is not taken again, also when that job is long gone."""

from pathlib import Path
from typing import Any

import pytest

from quartet.media.jobs import seen_store
from quartet.media.jobs.service import Jobs
from tests.media.test_watch import looked_at, watch
from tests.media.workbench import Bench, bench_at

pytestmark = pytest.mark.anyio


async def done(bench: Bench, folder: Any, name: str) -> int:
    """The job of a file that has just come."""
    bench.file(name, fresh=True)
    await looked_at(bench, folder)
    id: int = (await bench.ask("GET", "/api/jobs"))["jobs"][0]["jobId"]
    await bench.rested(id)
    return id


async def test_a_copy_is_made_once(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        folder = await watch(bench, enabled=False, action="copy", conflictPolicy="suffix")
        id = await done(bench, folder, "Heat.1995.mkv")
        await bench.ask("DELETE", f"/api/jobs/{id}", 204)
        await looked_at(bench, folder)
        assert (await bench.ask("GET", "/api/jobs"))["jobs"] == []
        # Another file under that name is a new one.
        again = await done(bench, folder, "Heat.1995.mkv")
        assert again != id and len(list(bench.films.rglob("*.mkv"))) == 2


async def test_what_came_back_stays(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        folder = await watch(bench, enabled=False)
        first = await done(bench, folder, "Heat.1995.mkv")
        await bench.ask("POST", f"/api/jobs/{first}/undo")
        await bench.ask("DELETE", f"/api/jobs/{first}", 204)
        second = await done(bench, folder, "Inception.2010.mkv")
        await bench.ask("DELETE", f"/api/jobs/{second}", 204)
        await bench.ask("POST", "/api/history/undo", json={"jobId": second})
        third = await done(bench, folder, "zzz.mkv")
        rejected = [one["id"] for one in await bench.items(third)]
        await bench.ask("POST", "/api/inbox/reject", json={"itemIds": rejected})
        await bench.ask("DELETE", f"/api/jobs/{third}", 204)
        before = bench.tree()
    async with bench_at(tmp_path, new=False) as bench:
        await looked_at(bench, folder)
        assert (await bench.ask("GET", "/api/jobs"))["jobs"] == []
        assert bench.tree() == before and len(before) == 3


async def test_what_is_gone_is_forgotten(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        folder = await watch(bench, enabled=False, autoThreshold=None)
        db = bench.client.started.kernel.db
        jobs: Jobs = bench.client.started.built.dependencies["jobs"]  # type: ignore[assignment]
        for name in ("Heat.1995.mkv", "Inception.2010.mkv"):
            id = await done(bench, folder, name)
            await bench.ask("DELETE", f"/api/jobs/{id}", 204)
            await jobs.forget_gone()
            (kept,) = await db.read(seen_store.every)
            assert kept[0] == str(bench.downloads / name)
            (bench.downloads / name).unlink()
