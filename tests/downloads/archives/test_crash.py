"""Extractions that are killed or run out of disk space, and are then repeated."""

import gzip
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quartet.downloads.archives import extract, sweep
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from tests.downloads.archives.make_archives import (
    archive_set_of,
    leftovers,
    seven_zip,
    tree,
    wait_for,
)
from tests.downloads.archives.test_limits import running
from tests.rounds import NIGHTLY

MANY = {f"folder {n % 40}/file {n}.bin": bytes([n % 256]) * 20_000 for n in range(800)}
CHILD = """
import sys
from quartet.downloads.archives import extract, find_sets
from quartet.kernel.files import Root
[archive] = find_sets(["a.zip"])
extract(Root(sys.argv[1]), archive, "out", progress=lambda percent: print(percent))
"""


# At night also the moments in between.
@pytest.mark.parametrize("moment", range(0, 8, 1 if NIGHTLY else 3))
def test_killed_extraction_can_be_repeated(root: Root, moment: int) -> None:
    seven_zip(root.path, "a.zip", "-mx=0", files=MANY)
    (root.path / "out" / "folder 1").mkdir(parents=True)  # so that single files are moved too
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(root.path)], stdout=subprocess.DEVNULL
    )
    try:
        wait_for(lambda: bool(leftovers(root.path)) or process.poll() is not None)
        time.sleep(moment * 0.03)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    wait_for(lambda: not running(root.path))
    for name, data in tree(root.path / "out").items():
        assert data == MANY[name]  # no partial files
    sweep(root)
    assert not leftovers(root.path)
    found = extract(root, archive_set_of(root, "a.zip"), "out")
    assert tree(root.path / "out") == MANY
    assert len(found.files) == len(MANY)
    assert sweep(root) == 0


def test_extraction_killed_while_moving_files_can_be_repeated(root: Root) -> None:
    seven_zip(root.path, "a.zip", "-mx=0", files=MANY)
    for name in MANY:  # the folders exist, so each file is moved separately
        (root.path / "out" / name).parent.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(root.path)], stdout=subprocess.PIPE
    )
    first = root.path / "out" / next(iter(MANY))
    while not any(first.parent.iterdir()) and process.poll() is None:
        pass
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert {name: MANY[name] for name in tree(root.path / "out")} == tree(root.path / "out")
    sweep(root)
    extract(root, archive_set_of(root, "a.zip"), "out")
    assert tree(root.path / "out") == MANY


def test_program_ends_when_server_is_killed(root: Root) -> None:
    # 2 GiB for the cost of 16 MiB: gzip files can be concatenated.
    (root.path / "zeros.gz").write_bytes(gzip.compress(bytes(16 << 20), 1) * 128)
    child = CHILD.replace("a.zip", "zeros.gz")
    process = subprocess.Popen(
        [sys.executable, "-c", child, str(root.path)], stdout=subprocess.DEVNULL
    )
    try:
        wait_for(lambda: bool(list(root.path.glob(".quartet-*/*/zeros"))))
        wait_for(lambda: bool(running(root.path)))
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    wait_for(lambda: not running(root.path))
    (half,) = root.path.glob(".quartet-*/*/zeros")
    assert half.stat().st_size < 2 << 30
    sweep(root)
    assert tree(root.path).keys() == {"zeros.gz"}


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("cannot mount a small disk here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_disk_full_during_extraction_is_reported(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "6m") as disk:
        (disk / "a.gz").write_bytes(gzip.compress(bytes(20 << 20)))
        root = Root(disk)
        with pytest.raises(AppError) as caught:
            extract(root, archive_set_of(root, "a.gz"), "out")
        assert caught.value.code == "disk_full"
        assert tree(disk).keys() == {"a.gz"}
        assert not leftovers(disk)


def test_extraction_to_another_disk(tmp_path: Path) -> None:
    root = Root(tmp_path / "done")
    root.path.mkdir()
    seven_zip(root.path, "a.zip", files={"d/x.txt": b"x", "y.txt": b"y"})
    with small_disk(root.path / "out", "4m") as disk:
        (disk / "y.txt").write_bytes(b"old")
        extract(root, archive_set_of(root, "a.zip"), "out")
        assert tree(disk) == {"d/x.txt": b"x", "y.txt": b"old", "y (1).txt": b"y"}
        assert not leftovers(root.path)
