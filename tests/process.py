"""A real `quartet serve`, from its first line to its end."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

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
    process = subprocess.Popen(
        [*QUARTET, "serve", *services, "--data", str(folder / "data"), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=folder,
        env=environment(**ports, **variables),
    )
    try:
        table = _table(process)
        found = re.findall(r"^  (\w+) +(http\S+?)/? ", table, re.MULTILINE)
        yield Running(process, dict(found), table)
    finally:
        process.terminate()
        process.wait(timeout=20)
        assert process.stdout
        process.stdout.close()


def _table(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "Ctrl-C" in line:
            return "".join(lines)
    raise AssertionError(f"ended with {process.wait()} before it listened")
