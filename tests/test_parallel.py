"""The parallel test runner itself, run on small files of tests."""

import subprocess
import sys
from pathlib import Path

from tests.process import ROOT, environment

PASSING = """
import os, pytest

@pytest.fixture(scope="session", autouse=True)
def folder(tmp_path_factory):
    yield tmp_path_factory.getbasetemp()
    with open({log!r}, "a") as log:
        log.write(f"torn down {{os.getpid()}}\\n")

@pytest.mark.parametrize("number", range(3))
def test_pass(number, tmp_path):
    assert "worker-" in str(tmp_path)
    print("output of", number)
"""
FAILING = "def test_fail():\n    print('a hint')\n    assert 1 == 2\n"
DYING = "import os, signal\n\ndef test_die():\n    os.kill(os.getpid(), signal.SIGKILL)\n"


def run(folder: Path, **files: str) -> subprocess.CompletedProcess[str]:
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    options = ("-p", "tests.parallel", "--workers", "2", "-p", "no:cacheprovider", "-q")
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", str(folder), str(folder)],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_parallel_run_reports_all_results(tmp_path: Path) -> None:
    log = tmp_path / "log"
    passing = PASSING.format(log=str(log))
    done = run(tmp_path, one=passing, two=passing, three=FAILING)
    assert done.returncode == 1, done.stderr
    assert "1 failed, 6 passed" in done.stdout
    assert "a hint" in done.stdout and "assert 1 == 2" in done.stdout
    # Each worker tears down its own fixtures.
    torn_down = log.read_text().splitlines()
    assert len({*torn_down}) == len(torn_down) == 2


def test_parallel_run_fails_when_a_worker_dies(tmp_path: Path) -> None:
    done = run(tmp_path, one=PASSING.format(log=str(tmp_path / "log")), two=DYING)
    assert done.returncode != 0
    assert "a worker ended with -9 while running" in done.stdout
    assert "test_two.py::test_die" in done.stdout
