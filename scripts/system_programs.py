"""Installs the programs the tests run for real, where that is allowed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
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
# Tests in a browser take half the work with it; not every Debian has it.
WELCOME = {"chromium-headless-shell": "chromium-headless-shell"}
INSTALL = ("install", "--yes", "--no-install-recommends")
# Where there is no network nobody waits for it.
SOON = ("-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=20")


def main() -> None:
    if missing := _missing(NEEDED_BY_TESTS):
        add_system_packages(missing)
    if missing := _missing(WELCOME):
        _try_to_add(missing)


def _missing(programs: Mapping[str, str]) -> list[str]:
    return [package for name, package in programs.items() if not is_there(name)]


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
    if problem := _apt(prefix, "update") or _apt(prefix, *INSTALL, *packages):
        print(problem, file=sys.stderr)
        sys.exit(f"could not install {' '.join(packages)}")


def _try_to_add(packages: Sequence[str]) -> None:
    """From the lists that are there, so that it is quick to say no; everything works without."""
    prefix = _right_to_install()
    if prefix is not None and not _apt(prefix, *SOON, *INSTALL, *packages):
        print(f"installed {' '.join(packages)}", flush=True)


def _apt(prefix: Sequence[str], *command: str) -> str:
    """What it had to say if it failed."""
    apt = [*prefix, "apt-get", "-qq", "-o", "Dpkg::Use-Pty=0", *command]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(apt, env=environment, capture_output=True, text=True)
    said = done.stdout + done.stderr or f"apt-get ended with {done.returncode}"
    return said if done.returncode else ""


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
