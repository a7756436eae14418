from pathlib import Path

import pytest

from quartet.downloads.archives import extract, sweep
from quartet.downloads.archives.staging import Staging
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from tests.downloads.archives.make_archives import (
    FILES,
    archive_set_of,
    leftovers,
    seven_zip,
    tree,
    unpack,
    write,
)


def test_number_is_added_to_names_that_are_taken(root: Root) -> None:
    write(root.path / "out", {"read me.txt": b"mine", "read me (1).txt": b"too"})
    seven_zip(root.path, "a.zip")
    found = unpack(root, "a.zip")
    assert "out/read me (2).txt" in found.files
    assert "out/read me.txt" not in found.files
    mine = {"read me.txt": b"mine", "read me (1).txt": b"too"}
    assert tree(root.path / "out") == {**FILES, **mine, "read me (2).txt": FILES["read me.txt"]}


def test_archive_itself_is_never_replaced(root: Root) -> None:
    seven_zip(root.path, "a.zip", files={"a.zip": b"no archive", "b.txt": b"b"})
    before = (root.path / "a.zip").read_bytes()
    found = extract(root, archive_set_of(root, "a.zip"), "")
    assert set(found.files) == {"a (1).zip", "b.txt"}
    assert (root.path / "a.zip").read_bytes() == before


@pytest.mark.parametrize("there", ["photos", "read me.txt/x"])
def test_conflict_of_file_and_folder_fails_without_changes(root: Root, there: str) -> None:
    write(root.path / "out", {there: b"mine", "zzz": b"other"})
    seven_zip(root.path, "a.zip")
    before = tree(root.path / "out")
    with pytest.raises(AppError) as caught:
        unpack(root, "a.zip")
    assert caught.value.code == "already_exists"
    assert tree(root.path / "out") == before
    assert not leftovers(root.path)


def test_extracting_again_changes_nothing(root: Root) -> None:
    write(root.path / "out", {"read me.txt": b"mine"})
    seven_zip(root.path, "a.zip")
    first = unpack(root, "a.zip")
    before = tree(root.path / "out")
    assert unpack(root, "a.zip") == first
    assert tree(root.path / "out") == before


def test_two_archives_extracted_into_one_folder(root: Root) -> None:
    for folder, content in (("one", b"1"), ("two", b"2")):
        (root.path / folder).mkdir()
        seven_zip(root.path / folder, "a.7z", "-v20k", files={"same.txt": content, "d/x": content})
    unpack(root, "one/a.7z.001")
    unpack(root, "two/a.7z.001")
    unpacked = tree(root.path / "out")
    assert unpacked.keys() == {"same.txt", "same (1).txt", "d/x", "d/x (1)"}
    assert sorted(unpacked.values()) == [b"1", b"1", b"2", b"2"]


def test_sweep_removes_only_staging_folders(root: Root, tmp_path: Path) -> None:
    seven_zip(root.path, "a.zip")
    staging = Staging(root, ())
    (staging.path(staging.new_folder()) / "half.bin").write_bytes(b"half")
    (staging.path(staging.parts) / "link").symlink_to(tmp_path)
    locked = staging.path(staging.new_folder()) / "locked"
    write(locked, {"inner/half.bin": b"half"})
    (locked / "inner").chmod(0)
    locked.chmod(0)
    write(root.path, {".quartet-other": b"somebody's", "kept.txt": b"kept"})
    assert sweep(root) == 1
    assert tree(root.path).keys() == {".quartet-other", "kept.txt", "a.zip"}
    assert tmp_path.exists()
    assert sweep(root) == 0
