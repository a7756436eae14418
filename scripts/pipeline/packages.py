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

IMAGE = "ghcr.io/quartet-project/quartet:latest"
# What buildah says where there is no registry.
NO_REGISTRY = ("pinging container registry", "initializing source", "short-name resolution")


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


def build_image() -> str:
    """Build the image; with Docker also start it with the shipped compose file."""
    if (
        shutil.which("docker")
        and not subprocess.run(["docker", "info"], capture_output=True).returncode
    ):
        return build_with_docker()
    if shutil.which("buildah"):
        return build_with_buildah()
    raise Skipped("neither a Docker daemon nor buildah is available")


def build_with_docker() -> str:
    run("docker", "build", "--file", "deploy/Dockerfile", "--tag", IMAGE, ".")
    compose = ("docker", "compose", "--file", "deploy/compose.yaml")
    try:
        run("env", "APP_TOKEN=a-token-for-the-pipeline", *compose, "up", "--wait", "--no-build")
    finally:
        run("env", "APP_TOKEN=-", *compose, "down", "--volumes")
    return "built, and all four services are healthy with deploy/compose.yaml"


def build_with_buildah() -> str:
    """Build without a daemon. The containers need no rights beyond those of a chroot."""
    command = ["buildah", "build", "--isolation", "chroot", "--file", "deploy/Dockerfile"]
    done = subprocess.run(
        [*command, "--tag", IMAGE, "."], cwd=PROJECT, capture_output=True, text=True
    )
    for reason in NO_REGISTRY:
        if reason in done.stderr:
            raise Skipped(f"the base images cannot be pulled: {done.stderr.strip()[-120:]}")
    if done.returncode:
        raise Failed(f"buildah: {done.stderr[-300:]}")
    return "built with buildah; it is only started where Docker runs"


def run(*command: str) -> None:
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"{' '.join(command[:3])}: {done.stderr[-300:]}")
