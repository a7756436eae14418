"""Disks that are full or not writable."""

import os
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from quartet.downloads.transfer import Failed
from quartet.downloads.transfer.part_file import PartFile
from quartet.kernel.errors import AppError
from tests.downloads.transfer.engine_bench import EngineBench, content
from tests.downloads.transfer.servers import Nginx, correct_server, scripted_server

ROOT = Path(__file__).parents[3]
DATA = content(500_000)


def test_missing_space_is_reported_before_first_byte(tmp_path: Path) -> None:
    disk = os.statvfs(tmp_path)
    bench = EngineBench(tmp_path, reserve=disk.f_blocks * disk.f_frsize)
    with scripted_server(correct_server(DATA)) as server:
        failed = bench.failed(server.url())
    assert (failed.problem.code, failed.retryable) == ("space_reserve", False)
    assert not bench.part().exists()
    bench.engine.stop()


def test_disk_that_fills_up_is_reported(tmp_path: Path) -> None:
    part = PartFile(tmp_path / "1.part", 0)
    part.close()
    part.fd = os.open("/dev/full", os.O_RDWR)
    with pytest.raises(AppError) as caught:
        part.write([b"x"], 0)
    assert caught.value.code == "disk_full"
    part.close()


def test_part_file_is_kept_when_file_size_limit_is_reached(web: Nginx, tmp_path: Path) -> None:
    """The process may not write files over 200,000 bytes."""
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from tests.downloads.transfer.engine_bench import EngineBench\n"
        "bench = EngineBench(Path(sys.argv[1]))\n"
        "failed = bench.failed(sys.argv[2])\n"
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
def test_unwritable_path_is_reported(bench: EngineBench, where: str) -> None:
    (bench.folder / "folder").mkdir()
    bench.engine.begin(replace(bench.job("http://127.0.0.1:9/"), part=bench.folder / where))
    failed = bench.wait()
    assert isinstance(failed, Failed)
    assert failed.problem.code in ("not_found", "is_a_folder")
    assert not failed.retryable


def test_symlink_is_not_followed(bench: EngineBench) -> None:
    target = bench.folder / "precious"
    target.write_bytes(b"mine")
    bench.part().symlink_to(target)
    with scripted_server(correct_server(DATA)) as server:
        failed = bench.failed(server.url())
    assert failed.problem.code == "path_outside_root"
    assert target.read_bytes() == b"mine"


def test_allocated_space_is_not_required_twice(tmp_path: Path) -> None:
    part = PartFile(tmp_path / "1.part", 0)
    part.allocate(5_000_000)
    part.allocate(5_000_000)
    assert os.fstat(part.fd).st_size == 5_000_000
    part.close()
