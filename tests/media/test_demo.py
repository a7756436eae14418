"""The demo: weeks of sample jobs, and releases that arrive while it runs."""

from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar

from quartet.kernel.startup import start
from quartet.media.app import SERVICE
from quartet.media.demo.arrivals import Arrivals
from tests.client import client_at
from tests.media.job_harness import JobHarness

pytestmark = pytest.mark.anyio
# Half an hour of the demo.
ARRIVALS = 8


def files_below(folder: Path) -> set[str]:
    return {str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()}


@pytest.mark.nightly
async def test_demo_still_receives_and_moves_releases_while_it_runs(tmp_path: Path) -> None:
    data = tmp_path / "media"
    started = start(SERVICE, SERVICE.settings(data=data), demo=True)
    app = started.app.app
    assert isinstance(app, Litestar)
    async with app.lifespan(), client_at(started) as client:
        harness = JobHarness(client, tmp_path)
        before = await harness.until("/api/dashboard", lambda found: found["inbox"] == 3)
        given: dict[str, Any] = dict(started.built.dependencies)
        files = tmp_path / "media-files"
        assert files_below(files / "music") == {
            "Clara Schumann/Piano Works (1987)/01 - Allegro moderato.flac",
            "Clara Schumann/Piano Works (1987)/02 - Scherzo.flac",
            "Clara Schumann/Piano Works (1987)/03 - Andante.flac",
            "Clara Schumann/Piano Works (1987)/04 - Allegretto.flac",
            "Clara Schumann/Piano Works (1987)/cover.png",
        }
        assert files_below(files / "photos") == {
            "2023/2023-07/2023-07-14 09.31.20.jpg",
            "2023/2023-07/2023-07-14 21.05.47.jpg",
            "2023/2023-12/2023-12-24 18.02.11.jpg",
        }
        arrivals = Arrivals(data, files, given["inbox"], given["watch_folders"])
        for _ in range(ARRIVALS):
            await arrivals.arrive()
        # Every fourth release needs review; the others are moved.
        reviewed = ARRIVALS // 4
        done = before["items"]["done"] + ARRIVALS - reviewed
        after = await harness.until(
            "/api/dashboard",
            lambda found: (found["inbox"], found["items"]["done"]) == (3 + reviewed, done),
        )
        assert "failed" not in after["items"] and after["watchProblems"] == 0
        statistics = await harness.ask("GET", "/api/statistics")
        assert statistics["weeks"][-1]["files"] >= ARRIVALS - reviewed
