"""Start a real `quartet serve` process and stop it at the end."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from tests.fork_client import ROOT as ROOT
from tests.fork_client import ForkedProcess, fork_server

QUARTET = [sys.executable, "-m", "quartet"]


Process = subprocess.Popen[str] | ForkedProcess
Start = Callable[[Sequence[str], Path, Mapping[str, str], IO[str], IO[str]], Process]


@dataclass(frozen=True)
class Running:
    process: Process
    # Maps each service to the address it listens on.
    addresses: dict[str, str]
    table: str


def environment(**more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **more}


@contextmanager
def _serve(
    start: Start, folder: Path, *arguments: str, services: tuple[str, ...] = (), **variables: str
) -> Iterator[Running]:
    """Serve on free ports with the data in `folder`; terminate the process unless the test did."""
    services_with_port = ("DOWNLOADS", "DOWNLOADS_CNL", "SYNC", "APP", "WIND")
    ports = {f"{prefix}_PORT": "0" for prefix in services_with_port}
    command = ("serve", *services, "--data", str(folder / "data"), *arguments)
    reader, writer = os.pipe()
    with tempfile.TemporaryFile("w+") as log, os.fdopen(reader) as output:
        with os.fdopen(writer, "w") as stdout:
            process = start(command, folder, environment(**{**ports, **variables}), stdout, log)
        try:
            table = _read_table(process, output, log)
            found = re.findall(r"^  (\w+) +(http\S+?)/? ", table, re.MULTILINE)
            yield Running(process, dict(found), table)
        finally:
            ended = process.poll()
            process.terminate()
            process.wait(timeout=60)
            # pytest shows this if the test fails. It tells whether the server had exited before.
            log.seek(0)
            sys.stderr.write(f"ended before: {ended}\n{log.read()[-12000:]}")


def _fork(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    stdout: IO[str],
    log: IO[str],
) -> Process:
    with Path(os.devnull).open() as devnull:
        return fork_server.fork(
            *command,
            folder=folder,
            environment=environment,
            stdin=devnull,
            stdout=stdout,
            stderr=log,
        )


def _execute(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    stdout: IO[str],
    log: IO[str],
    program: Sequence[str] = QUARTET,
) -> Process:
    return subprocess.Popen(
        [*program, *command], stdout=stdout, stderr=log, text=True, cwd=folder, env=environment
    )


def serve_with(program: Sequence[str]) -> Callable[..., AbstractContextManager[Running]]:
    """Return `quartet_serve_uncached` with another command in place of `quartet`."""
    return partial(_serve, partial(_execute, program=program))


quartet_serve = partial(_serve, _fork)
# Starts a new interpreter, for tests of the startup itself.
quartet_serve_uncached = partial(_serve, _execute)


def _read_table(process: Process, output: IO[str], log: IO[str]) -> str:
    lines = []
    for line in output:
        lines.append(line)
        if "Ctrl-C" in line:
            return "".join(lines)
    message = f"ended with {process.wait()} before it listened"
    log.seek(0)
    raise AssertionError(f"{message}: {log.read()[-2000:]}")
