"""Hostile case 9: disks that are full or closed."""

import os
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from quartet.downloads.transfer import Failed
from quartet.downloads.transfer.part import Part
from quartet.kernel.errors import AppError
from tests.downloads.transfer.desk import Desk, content
from tests.downloads.transfer.servers import Nginx, honest, liar

ROOT = Path(__file__).parents[3]
DATA = content(500_000)


def test_09_no_room_is_said_before_the_first_byte(tmp_path: Path) -> None:
    disk = os.statvfs(tmp_path)
    desk = Desk(tmp_path, reserve=disk.f_blocks * disk.f_frsize)
    with liar(honest(DATA)) as server:
        failed = desk.failed(server.url())
    assert (failed.problem.code, failed.retryable) == ("no_space", False)
    assert not desk.part().exists()
    desk.engine.stop()


def test_09_a_disk_that_fills_up(tmp_path: Path) -> None:
    part = Part(tmp_path / "1.part", 0)
    part.close()
    part.fd = os.open("/dev/full", os.O_RDWR)
    with pytest.raises(AppError) as caught:
        part.write([b"x"], 0)
    assert caught.value.code == "disk_full"
    part.close()


def test_09_the_part_is_kept_when_no_more_fits(web: Nginx, tmp_path: Path) -> None:
    """A process that may write no file over 200,000 bytes."""
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from tests.downloads.transfer.desk import Desk\n"
        "desk = Desk(Path(sys.argv[1]))\n"
        "failed = desk.failed(sys.argv[2])\n"
        "print(failed.problem.code, failed.retryable)\n"
    )
    web.add("disk.bin", DATA)
    child = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), web.url("disk.bin")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)),
    )
    assert child.stdout == "file_too_large False\n"


@pytest.mark.parametrize("where", ["missing/1.part", "folder"])
def test_09_a_place_that_cannot_be_written(desk: Desk, where: str) -> None:
    (desk.folder / "folder").mkdir()
    desk.engine.begin(replace(desk.job("http://127.0.0.1:9/"), part=desk.folder / where))
    failed = desk.wait()
    assert isinstance(failed, Failed)
    assert failed.problem.code in ("not_found", "is_a_folder")
    assert not failed.retryable


def test_09_a_link_is_not_written_through(desk: Desk) -> None:
    target = desk.folder / "precious"
    target.write_bytes(b"mine")
    desk.part().symlink_to(target)
    with liar(honest(DATA)) as server:
        failed = desk.failed(server.url())
    assert failed.problem.code == "path_outside_root"
    assert target.read_bytes() == b"mine"


def test_09_room_that_is_taken_already_is_not_asked_for_twice(tmp_path: Path) -> None:
    part = Part(tmp_path / "1.part", 0)
    part.allocate(5_000_000)
    part.allocate(5_000_000)
    assert os.fstat(part.fd).st_size == 5_000_000
    part.close()
