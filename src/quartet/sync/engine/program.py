"""Finds the Syncthing program and knows the command lines of its major versions."""

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from quartet.kernel.errors import AppError

PROGRAM_VARIABLE = "QUARTET_SYNCTHING"
PROBE_SECONDS = 20
# The database of version 2; version 1 would ignore it and begin an empty one.
NEWER_DATABASE = "index-v2"
# Contains the version that last used a home.
VERSION_FILE = "engine-version"


@dataclass(frozen=True)
class Flags:
    generate: tuple[str, ...]
    serve: tuple[str, ...]
    environment: Mapping[str, str]


# Also set as variables, because a major version may support only the flag or only the variable.
_ALWAYS = {
    "STNODEFAULTFOLDER": "1",
    "STNOUPGRADE": "1",
    # Runs without a monitor process. Quartet restarts the engine itself, and a monitor whose output
    # is no longer read exits without stopping the engine.
    "STMONITORED": "yes",
    # The engine uses local time in the names of versions and conflict copies.
    "TZ": "UTC",
}
_GENERATIONS = {
    1: Flags(
        generate=("--no-default-folder", "--skip-port-probing"),
        # All 1.x releases since 1.9 have the same database, but refuse the configuration of a newer
        # one without the last flag. Quartet sets everything in it that it depends on.
        serve=(
            "--no-browser",
            "--no-restart",
            "--no-upgrade",
            "--skip-port-probing",
            "--allow-newer-config",
        ),
        # Skips a one-second benchmark of hash functions.
        environment={**_ALWAYS, "STHASHING": "standard"},
    ),
    2: Flags(
        generate=("--no-port-probing",),
        serve=("--no-browser", "--no-restart", "--no-upgrade", "--no-port-probing"),
        environment=_ALWAYS,
    ),
}
# Only these variables are passed on; the engine must not see the service's secrets.
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "USERPROFILE", "LOCALAPPDATA", "TEMP",
              "SYSTEMROOT", "all_proxy", "ALL_PROXY")  # fmt: skip


def _base_environment() -> dict[str, str]:
    """Return a minimal environment; without HOME, which services may lack, the engine does not even
    print its version.
    """
    found = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {"HOME": os.path.sep, **found}


@dataclass(frozen=True)
class Program:
    path: Path
    version: str
    major: int

    @property
    def flags(self) -> Flags:
        return _GENERATIONS[min(self.major, max(_GENERATIONS))]

    def generate(self, home: Path) -> list[str]:
        return [str(self.path), "generate", "--home", str(home), *self.flags.generate]

    def serve(self, home: Path) -> list[str]:
        return [str(self.path), "serve", "--home", str(home), *self.flags.serve]

    def environment(self, **more: str) -> dict[str, str]:
        return {**_base_environment(), **self.flags.environment, **more}


def reads_data(program: Program, home: Path) -> bool:
    """Return False if a newer version has converted the database in this home.

    Every release from 2.0 on may convert it, and older ones do not notice.
    """
    if program.major < 2:
        return not (home / NEWER_DATABASE).exists()
    try:
        last = (home / VERSION_FILE).read_text()
    except OSError:
        return True
    return _numbers(program.version) >= _numbers(last)


def _numbers(version: str) -> list[int]:
    """Return `[2, 1, 3]` for `v2.1.3` and `v2.1.3-rc.1`."""
    return [int(each) for each in re.findall(r"\d+", version.split("-")[0])]


def find_program(
    given: Path | None, downloaded: Path, environ: Mapping[str, str] = os.environ
) -> Path | None:
    """Return the configured program, the installed one, or the downloaded copy."""
    named = given or (Path(environ[PROGRAM_VARIABLE]) if environ.get(PROGRAM_VARIABLE) else None)
    if named is not None:
        if not named.is_file():
            raise AppError(500, "engine_missing", path=str(named))
        return named
    if found := shutil.which("syncthing", path=environ.get("PATH")):
        return Path(found)
    return downloaded if downloaded.is_file() else None


async def probe(path: Path) -> Program:
    """Determine the version of the program."""
    for question in ("--version", "version"):
        said = await asyncio.to_thread(_version_output, path, question)
        if found := re.search(r"syncthing (v(\d+)\.\d+\S*)", said):
            if int(found[2]) < min(_GENERATIONS):
                raise AppError(500, "engine_too_old", version=found[1])
            return Program(path, found[1], int(found[2]))
    raise AppError(500, "engine_unknown", path=str(path))


def _version_output(path: Path, question: str) -> str:
    try:
        # The operator chose the program, and the argument is fixed.
        done = subprocess.run(  # noqa: S603
            [str(path), question],
            env=_base_environment(),
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace")
