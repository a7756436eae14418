"""Installs the programs the tests run for real, where that is allowed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

# Program to Debian package.
NEEDED_BY_TESTS = {
    "aria2c": "aria2",
    "chromium": "chromium",
    "nginx": "nginx",
    "postgres": "postgresql",
    "redis-server": "redis-server",
    "syncthing": "syncthing",
}


def main() -> None:
    missing = [package for name, package in NEEDED_BY_TESTS.items() if not is_there(name)]
    if missing:
        add_system_packages(missing)


def is_there(program: str) -> bool:
    # Debian keeps server programs out of a user's PATH.
    places = [*os.environ["PATH"].split(os.pathsep), "/usr/sbin"]
    places += [str(path) for path in Path("/usr/lib/postgresql").glob("*/bin")]
    return shutil.which(program, path=os.pathsep.join(places)) is not None


def add_system_packages(packages: Sequence[str]) -> None:
    """With root or sudo and apt; otherwise one line says what is missing."""
    prefix = _right_to_install()
    if prefix is None:
        print(f"missing, please install: {' '.join(packages)}", file=sys.stderr, flush=True)
        return
    print(f"installing {' '.join(packages)}", flush=True)
    apt = [*prefix, "apt-get", "-qq", "-o", "Dpkg::Use-Pty=0"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        done = subprocess.run([*apt, *command], env=environment, capture_output=True, text=True)
        if done.returncode:
            print(done.stdout + done.stderr, file=sys.stderr)
            sys.exit(f"could not install {' '.join(packages)}")


def _right_to_install() -> list[str] | None:
    if not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"]).returncode == 0:
        return ["sudo", "-n", "--preserve-env=DEBIAN_FRONTEND"]
    return None


if __name__ == "__main__":
    main()
