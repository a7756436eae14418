"""Copies of reverted files become versions; newer work is not touched."""

import os
from pathlib import Path

import pytest

from quartet.sync.agent.reverted_copies import archive_copies, file_identities

MARK = "sync-conflict-20261115-153851-NPHKJM4"


def reverted(root: Path, name: str, copy: str) -> list[str]:
    """Create a changed file that the engine has renamed to a copy."""
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text("undo me")
    before = file_identities(root, [name, "missing", "."])
    assert list(before) == [name]
    (root / name).rename(root / copy)
    (root / name).write_text("as others have it")
    return archive_copies(root, before, [copy])


@pytest.mark.parametrize(
    ("name", "copy", "kept"),
    [
        ("a.txt", f"a.{MARK}.txt", "a~*.txt"),
        ("sub/a.tar.gz", f"sub/a.tar.{MARK}.gz", "sub/a.tar~*.gz"),
        ("plain", f"plain.{MARK}", "plain~*"),
        (".profile", f".{MARK}.profile", "~*.profile"),
    ],
)
def test_conflict_copy_becomes_version(tmp_path: Path, name: str, copy: str, kept: str) -> None:
    assert reverted(tmp_path, name, copy) == [copy]
    [version] = (tmp_path / ".stversions").glob(kept)
    assert version.read_text() == "undo me"
    assert not (tmp_path / copy).exists()
    assert (tmp_path / name).read_text() == "as others have it"


@pytest.mark.parametrize("name", ["saved.txt", f"b.{MARK}.txt", "a.sync.txt", f"a.{MARK}.png"])
def test_file_saved_under_other_name_is_kept(tmp_path: Path, name: str) -> None:
    assert reverted(tmp_path, "a.txt", name) == []
    assert (tmp_path / name).read_text() == "undo me"


def test_modified_copy_is_kept(tmp_path: Path) -> None:
    copy = tmp_path / f"a.{MARK}.txt"
    (tmp_path / "a.txt").write_text("undo me")
    os.utime(tmp_path / "a.txt", (0, 0))
    before = file_identities(tmp_path, ["a.txt"])
    (tmp_path / "a.txt").rename(copy)
    copy.write_text("undo me no more")
    assert archive_copies(tmp_path, before, [copy.name]) == []
    # A newly created copy is kept too.
    copy.unlink()
    copy.write_text("undo me")
    assert archive_copies(tmp_path, before, [copy.name]) == []
    assert copy.read_text() == "undo me"


def test_copies_within_one_second_get_separate_versions(tmp_path: Path) -> None:
    for _ in range(3):
        assert reverted(tmp_path, "a.txt", f"a.{MARK}.txt")
    assert len(list((tmp_path / ".stversions").iterdir())) == 3
