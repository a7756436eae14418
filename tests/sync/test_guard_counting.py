"""The guard counts the files that a device deletes or replaces, but not those that it moves."""

import os
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.sync.engine.types import NeededFile
from quartet.sync.hub.pending_files import file_actions
from quartet.sync.hub.types import NoHub, PendingChange, PendingChanges
from quartet.sync.hubfiles.guard.counting import Move, count_files
from quartet.sync.hubfiles.guard.moves import Moves
from quartet.sync.hubfiles.guard.windows import MOST_PATHS, WINDOW_SECONDS, ChangeWindow


def test_only_moved_files_do_not_count() -> None:
    changes = [
        PendingChange("a.jpg", "one", "deleted", 10),
        PendingChange("2026/a.jpg", "one", "added", 10),
        # Renamed, replaced and deleted.
        PendingChange("b.jpg", "one", "deleted", 10),
        PendingChange("b.jpg.locked", "one", "added", 10),
        PendingChange("c.jpg", "one", "replaced", 10),
        PendingChange("d.jpg", "two", "deleted", 10),
        # A file of another device, and one of another size.
        PendingChange("2026/d.jpg", "one", "added", 10),
        PendingChange("2026/c.jpg", "two", "added", 11),
        PendingChange("e.jpg", None, "deleted", 10),
    ]
    counted = count_files(changes)
    found = {device: [each.path for each in lost] for device, lost in counted.lost.items()}
    assert found == {"one": ["b.jpg", "c.jpg"], "two": ["d.jpg"]}
    assert counted.moved == [Move("one", "a.jpg", "2026/a.jpg")]


class SizedHub(NoHub):
    def __init__(self) -> None:
        self.gone = {"lost/c.jpg"}

    async def sizes(self, _folder: str, paths: list[str]) -> dict[str, int]:
        return {path: 10 for path in paths if path not in self.gone}


@pytest.mark.anyio
async def test_file_that_arrived_before_its_deletion_is_moved() -> None:
    hub = SizedHub()
    moves, window = Moves(hub), ChangeWindow()
    for path in ("2026/a.jpg", "2026/b.jpg", "lost/c.jpg", "other.jpg"):
        window.add(1, path, "added")
    deleted = [
        PendingChange("a.jpg", "one", "deleted", 10),
        # Another size, and a file that is not on the hub any more.
        PendingChange("b.jpg", "one", "deleted", 11),
        PendingChange("c.jpg", "one", "deleted", 10),
    ]
    counted = await moves.count("photos", PendingChanges(deleted, 7), {"one": window})
    assert [each.path for each in counted.lost["one"]] == ["b.jpg", "c.jpg"]
    assert counted.moved == [Move("one", "a.jpg", "2026/a.jpg")]
    moves.expect("photos", counted.moved, {"one": window})
    # Neither the new file nor the deletion counts, but a second deletion does.
    assert window.added == 3
    # While the first deletions pass, another file of the folder asks.
    counted = await moves.count("photos", PendingChanges(deleted, 7), {"one": window})
    assert [each.path for each in counted.lost["one"]] == ["b.jpg", "c.jpg"]
    # The device has deleted what it moved.
    hub.gone.add("2026/a.jpg")
    counted = await moves.count("photos", PendingChanges(deleted, 7), {"one": window})
    assert [each.path for each in counted.lost["one"]] == ["a.jpg", "b.jpg", "c.jpg"]
    assert [moves.take("photos", "a.jpg") for _ in range(2)] == [True, False]
    assert not moves.take("photos", "2026/a.jpg")


def test_file_that_engine_has_not_recorded_yet_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"picture")
    os.utime(tmp_path / "a.jpg", ns=(0, 1_700_000_000_123_456_789))
    same = NeededFile("a.jpg", size=7, modified="2023-11-14T22:13:20.123456789Z")
    files = [
        same,
        msgspec.structs.replace(same, size=8),
        msgspec.structs.replace(same, modified="2023-11-14T22:13:21.123456789Z"),
        msgspec.structs.replace(same, modified="not a time"),
        msgspec.structs.replace(same, deleted=True, size=0),
        msgspec.structs.replace(same, name="b.jpg"),
    ]
    found = [action for action, _ in file_actions(tmp_path, files)]
    assert found == ["added", "replaced", "replaced", "replaced", "deleted", "added"]


@given(st.lists(st.tuples(st.floats(0, 200), st.sampled_from("abcd"), st.booleans())))
def test_window_counts_last_minute(changes: list[tuple[float, str, bool]]) -> None:
    changes.sort(key=lambda change: change[0])
    window = ChangeWindow()
    for at, path, deleted in changes:
        window.add(at, path, "deleted" if deleted else "added")
    last = {path: (at, deleted) for at, path, deleted in changes}
    young = [deleted for at, deleted in last.values() if at >= 200 - WINDOW_SECONDS]
    assert window.lost(200.0) == sum(young)
    assert window.is_empty == (not young)


def test_replaced_file_counts_as_lost_although_it_changes_again() -> None:
    """The hub asks before it replaces a file, but not before it changes its time or rights."""
    window = ChangeWindow()
    window.add(1, "a.jpg", "replaced")
    window.add(2, "a.jpg", "added")
    assert list(window.lost_files()) == ["a.jpg"]
    assert (window.lost(2), window.added) == (1, 0)


def test_many_deletions_are_cheap() -> None:
    window, began = ChangeWindow(), time.process_time()
    for number in range(300_000):
        window.add(number / 100_000, str(number), "deleted")
    assert window.lost(10.0) == MOST_PATHS
    assert time.process_time() - began < 10
