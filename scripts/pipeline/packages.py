"""Build what is published: wheel, source distribution and the agent that contains Python."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from pipeline.report import Failed
from pipeline.steps import PROJECT

sys.path.insert(0, str(PROJECT / "scripts"))
import self_contained_agent
import setup

# uv fetches a build of it that runs with the C library of old systems.
PORTABLE_PYTHON = "3.13"


def build_packages(target: Path, *, keep: bool) -> str:
    """Build the source distribution, and the wheel from it."""
    if not (keep and any(target.glob("*.whl"))):
        shutil.rmtree(target, ignore_errors=True)
        command = [setup.uv(), "build", "--quiet", "--out-dir", str(target)]
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"uv build: {done.stderr[-300:]}")
    [wheel], [sdist] = target.glob("*.whl"), target.glob("*.tar.gz")
    check_contents(wheel)
    return f"wheel {megabytes(wheel)}, source distribution {megabytes(sdist)}"


def megabytes(file: Path) -> str:
    return f"{file.stat().st_size / 1_000_000:.1f} MB"


def check_contents(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(each for each in names if each.endswith("/METADATA"))).decode()
    licences = [each for each in names if "/licenses/" in each and each.endswith("licenses.md")]
    if len(licences) < 4:
        raise Failed(f"licence notices of bundled files are missing: {licences}")
    for label in ("Homepage", "Documentation", "Changelog", "Issues"):
        if f"Project-URL: {label}, " not in metadata:
            raise Failed(f"the metadata lack the address {label}")
    if tests := [each for each in names if each.startswith("tests/")]:
        raise Failed(f"the wheel contains tests: {tests[:3]}")


def build_program(*, keep: bool) -> str:
    """Build the agent that contains Python, if possible with one for old C libraries too."""
    if keep and program().exists():
        return megabytes(program())
    script = [sys.executable, str(PROJECT / "scripts/self_contained_agent.py")]
    fetched = not subprocess.run(
        [setup.uv(), "python", "install", "--quiet", PORTABLE_PYTHON], capture_output=True
    ).returncode
    version = [PORTABLE_PYTHON] if fetched else []
    done = subprocess.run([*script, *version], cwd=PROJECT, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"{script[-1]}: {done.stderr[-300:]}")
    note = "" if fetched else ", with the Python of this machine"
    return f"{megabytes(program())}{note}"


def program() -> Path:
    return self_contained_agent.built()
