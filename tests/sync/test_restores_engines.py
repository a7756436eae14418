"""A folder with many changed files is rolled back on the hub, and real devices follow."""

import time
from pathlib import Path

import pytest

from tests.rounds import NIGHTLY
from tests.sync.processes import until
from tests.sync.test_guard_engines import fleet

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(600)]

# Half of the files, so that the delete guard lets the change pass.
FILES, CHANGED = (2000, 1000) if NIGHTLY else (60, 30)


def test_changed_files_are_set_back_on_all_devices(tmp_path: Path) -> None:
    with fleet(tmp_path, FILES) as now:
        good = now.contents(now.hub)
        before = int(time.time()) + 1
        until(lambda: time.time() > before)
        pictures = sorted(now.laptop.glob("*.jpg"))[:CHANGED]
        for number, path in enumerate(pictures):
            if number % 10 == 0:
                path.unlink()
            else:
                path.write_text(f"changed {number}")
        (now.laptop / "new.jpg").write_text("new")
        changed = now.contents(now.laptop)
        for place in (now.hub, now.tower):
            until(lambda place=place: now.contents(place) == changed, 300)
        api = f"/api/folders/{now.folder}"
        seen = now.app.post(f"{api}/versions/restore/preview", {"before": before})
        assert [seen[name] for name in ("restored", "replaced", "removed", "kept")] == [
            CHANGED // 10,
            CHANGED - CHANGED // 10,
            1,
            FILES - CHANGED,
        ]
        begun = now.app.post(f"{api}/versions/restore", {"before": before})
        until(lambda: now.app.get(f"{api}/restores")[0]["endedAt"], 300)
        assert now.contents(now.hub) == good
        for place in (now.laptop, now.tower):
            until(lambda place=place: now.contents(place) == good, 300)
        assert now.held() is None
        # One more click undoes it.
        now.app.post(f"{api}/versions/restore", {"before": begun["startedAt"]})
        for place in (now.hub, now.laptop, now.tower):
            until(lambda place=place: now.contents(place) == changed, 300)
        assert now.held() is None
