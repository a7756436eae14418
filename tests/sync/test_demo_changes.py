from pathlib import Path

import pytest

from quartet.sync.demo.changes import PAUSE_SECONDS, DemoChanges

pytestmark = pytest.mark.anyio


async def test_devices_of_the_demo_change_a_few_files(tmp_path: Path) -> None:
    laptop, desktop = tmp_path / "laptop", tmp_path / "desktop"
    changes = DemoChanges(laptop, desktop, 1)
    await changes.run_once()
    assert not laptop.exists()
    # The demo shares this folder last.
    (desktop / "Photos").mkdir(parents=True)
    contents = set()
    for _ in range(9):
        await changes.run_once()
        photos = list((laptop / "Photos").iterdir())
        contents |= {each.read_bytes() for each in photos}
    assert (len(photos), len(contents)) == (4, 9)
    # The desktop receives a photo before the next one is changed.
    assert all(len(each) < PAUSE_SECONDS * 1024 for each in contents)
    assert (desktop / "Notes" / "ideas.md").read_text().startswith("- idea 1\n")
