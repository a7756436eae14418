"""A real `quartet serve`, from its first line to its end."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parent.parent
QUARTET = [sys.executable, "-m", "quartet"]


@dataclass(frozen=True)
class Running:
    process: subprocess.Popen[str]
    # Service to the address it listens on.
    addresses: dict[str, str]
    table: str


def environment(**more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **more}


@contextmanager
def quartet_serve(
    folder: Path, *arguments: str, services: tuple[str, ...] = (), **variables: str
) -> Iterator[Running]:
    """On free ports, with its data in `folder`; ended by SIGTERM if the test has not."""
    services_with_port = ("DOWNLOADS", "DOWNLOADS_CNL", "SYNC", "APP", "WIND")
    ports = {f"{prefix}_PORT": "0" for prefix in services_with_port}
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(
            [*QUARTET, "serve", *services, "--data", str(folder / "data"), *arguments],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=folder,
            env=environment(**ports, **variables),
        ) as process,
    ):
        try:
            table = _table(process, log)
            found = re.findall(r"^  (\w+) +(http\S+?)/? ", table, re.MULTILINE)
            yield Running(process, dict(found), table)
        finally:
            ended = process.poll()
            process.terminate()
            process.wait(timeout=20)
            # Shown when the test fails: why the server ended, if it did so by itself.
            log.seek(0)
            sys.stderr.write(f"ended before: {ended}\n{log.read()[-12000:]}")


def _table(process: subprocess.Popen[str], log: IO[str]) -> str:
    assert process.stdout
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "Ctrl-C" in line:
            return "".join(lines)
    ended = f"ended with {process.wait()} before it listened"
    log.seek(0)
    raise AssertionError(f"{ended}: {log.read()[-2000:]}")
