"""A real `quartet serve`, from its first line to its end."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from tests.forks import ROOT as ROOT
from tests.forks import Fork, forker

QUARTET = [sys.executable, "-m", "quartet"]


Process = subprocess.Popen[str] | Fork
Start = Callable[[Sequence[str], Path, Mapping[str, str], IO[str], IO[str]], Process]


@dataclass(frozen=True)
class Running:
    process: Process
    # Service to the address it listens on.
    addresses: dict[str, str]
    table: str


def environment(**more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **more}


@contextmanager
def _serving(
    start: Start, folder: Path, *arguments: str, services: tuple[str, ...] = (), **variables: str
) -> Iterator[Running]:
    """On free ports, with its data in `folder`; ended by SIGTERM if the test has not."""
    services_with_port = ("DOWNLOADS", "DOWNLOADS_CNL", "SYNC", "APP", "WIND")
    ports = {f"{prefix}_PORT": "0" for prefix in services_with_port}
    told = ("serve", *services, "--data", str(folder / "data"), *arguments)
    ours, theirs = os.pipe()
    with tempfile.TemporaryFile("w+") as log, os.fdopen(ours) as output:
        with os.fdopen(theirs, "w") as shown:
            process = start(told, folder, environment(**{**ports, **variables}), shown, log)
        try:
            table = _table(process, output, log)
            found = re.findall(r"^  (\w+) +(http\S+?)/? ", table, re.MULTILINE)
            yield Running(process, dict(found), table)
        finally:
            ended = process.poll()
            process.terminate()
            process.wait(timeout=20)
            # Shown when the test fails: why the server ended, if it did so by itself.
            log.seek(0)
            sys.stderr.write(f"ended before: {ended}\n{log.read()[-12000:]}")


def _forked(
    told: Sequence[str], folder: Path, environment: Mapping[str, str], shown: IO[str], log: IO[str]
) -> Process:
    with Path(os.devnull).open() as nothing:
        return forker.fork(
            *told, folder=folder, environment=environment, stdin=nothing, stdout=shown, stderr=log
        )


def _executed(
    told: Sequence[str], folder: Path, environment: Mapping[str, str], shown: IO[str], log: IO[str]
) -> Process:
    return subprocess.Popen(
        [*QUARTET, *told], stdout=shown, stderr=log, text=True, cwd=folder, env=environment
    )


quartet_serve = partial(_serving, _forked)
# With all that it imports, for what is about the start itself.
quartet_executed = partial(_serving, _executed)


def _table(process: Process, output: IO[str], log: IO[str]) -> str:
    lines = []
    for line in output:
        lines.append(line)
        if "Ctrl-C" in line:
            return "".join(lines)
    ended = f"ended with {process.wait()} before it listened"
    log.seek(0)
    raise AssertionError(f"{ended}: {log.read()[-2000:]}")
