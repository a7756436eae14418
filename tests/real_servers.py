"""Starts real servers for tests and benchmarks, each on a free loopback port in its own folder."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from quartet.kernel.listener import free_port as free_port

START_SECONDS = 60.0
POSTGRES_PROGRAMS = ("postgres", "initdb", "pg_isready")
POSTGRES_VERSIONS = Path("/usr/lib/postgresql")


class ProgramMissing(RuntimeError):
    """A program that the tests start is not installed on this machine."""


@contextmanager
def running(
    command: Sequence[str], ready: Callable[[], bool], user: str | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program, yield once it is ready, and terminate it at the end."""
    # The command is built by this module and runs without a shell.
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, user=user, cwd="/"
    )
    try:
        _wait(process, ready)
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=START_SECONDS)


def _wait(process: subprocess.Popen[bytes], ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not ready():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise RuntimeError(process.communicate()[1].decode(errors="replace"))
        time.sleep(0.02)


def accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


@contextmanager
def redis_server() -> Iterator[str]:
    """Start a Redis without persistence and yield its URL."""
    port = free_port()
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    if program is None:
        raise ProgramMissing("redis-server is not installed")
    with tempfile.TemporaryDirectory(prefix="redis-") as folder:
        options = f"--port {port} --bind 127.0.0.1 --appendonly no --dir {folder} --save"
        with running([program, *options.split(), ""], lambda: accepts(port)):
            yield f"redis://127.0.0.1:{port}/0"


@contextmanager
def postgres_server() -> Iterator[str]:
    """Start an empty PostgreSQL, yield its URL, and delete it at the end."""
    programs = _postgres_programs()
    # PostgreSQL refuses to run as root.
    user = "postgres" if os.geteuid() == 0 else None
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="postgres-") as folder:
        if user:
            os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
        cluster = str(Path(folder) / "cluster")
        # fmt: off
        subprocess.run(
            [str(programs / "initdb"), "-D", cluster, "-U", "quartet", "-A", "trust",
             "--no-sync", "-E", "UTF8", "--no-locale"],
            check=True, capture_output=True, user=user, cwd="/",
        )
        command = [
            str(programs / "postgres"), "-D", cluster, "-p", str(port), "-h", "127.0.0.1",
            "-k", folder, "-c", "fsync=off", "-c", "max_connections=200",
        ]
        # fmt: on
        # PostgreSQL accepts connections before it can answer queries, so a connect is not enough.
        asking = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
        with running(command, lambda: subprocess.run(asking).returncode == 0, user):
            yield f"postgresql://quartet@127.0.0.1:{port}/postgres"


def _postgres_programs() -> Path:
    """Return the folder that holds all of PostgreSQL's programs.

    The `postgres` on the PATH is often a symbolic link (Debian keeps each version in its own
    folder), and its siblings are next to the target rather than next to the link.
    """
    candidates = [Path(found).resolve()] if (found := shutil.which("postgres")) else []
    candidates += sorted(POSTGRES_VERSIONS.glob("*/bin/postgres"), key=_version, reverse=True)
    if not candidates:
        raise ProgramMissing("PostgreSQL is not installed: no `postgres` on the PATH")
    missing_prerequisite = {
        folder: _missing_programs(folder) for folder in (c.parent for c in candidates)
    }
    for folder, missing in missing_prerequisite.items():
        if not missing:
            return folder
    details = "; ".join(
        f"{folder} lacks {', '.join(names)}" for folder, names in missing_prerequisite.items()
    )
    raise ProgramMissing(f"PostgreSQL is incomplete: {details}")


def _version(program: Path) -> tuple[int, ...]:
    """Turn `/usr/lib/postgresql/9.6/bin/postgres` into (9, 6), so that 15 sorts after 9.6."""
    return tuple(int(part) for part in program.parts[-3].split(".") if part.isdigit())


def _missing_programs(folder: Path) -> list[str]:
    return [name for name in POSTGRES_PROGRAMS if not (folder / name).exists()]
