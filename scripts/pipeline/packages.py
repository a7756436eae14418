"""Build what is published: wheel, source distribution and image."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from pipeline.report import Failed, Skipped
from pipeline.steps import PROJECT

sys.path.insert(0, str(PROJECT / "scripts"))
import setup


def build_packages(target: Path, *, keep: bool) -> str:
    """Build the source distribution, and the wheel from it."""
    if keep and any(target.glob("*.whl")):
        return "built by an earlier run"
    shutil.rmtree(target, ignore_errors=True)
    command = [setup.uv(), "build", "--quiet", "--out-dir", str(target)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"uv build: {done.stderr[-300:]}")
    [wheel] = target.glob("*.whl")
    check_contents(wheel)
    return f"{wheel.name}: {wheel.stat().st_size // 1_000_000} MB"


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


def build_image() -> str:
    """Build the image and start it with the shipped compose file."""
    if not shutil.which("docker"):
        raise Skipped("Docker is not installed")
    if subprocess.run(["docker", "info"], capture_output=True).returncode:
        raise Skipped("the Docker daemon is not running")
    image = "ghcr.io/quartet-project/quartet:latest"
    run("docker", "build", "--file", "deploy/Dockerfile", "--tag", image, ".")
    compose = ("docker", "compose", "--file", "deploy/compose.yaml")
    try:
        run("env", "APP_TOKEN=a-token-for-the-pipeline", *compose, "up", "--wait", "--no-build")
    finally:
        run("env", "APP_TOKEN=-", *compose, "down", "--volumes")
    return "built, and all four services are healthy with deploy/compose.yaml"


def run(*command: str) -> None:
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"{' '.join(command[:3])}: {done.stderr[-300:]}")
