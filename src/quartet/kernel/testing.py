"""Real servers for tests: started on a free loopback port, in a folder of their own, and ended."""

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

from quartet.kernel.listening import free_port as free_port

START_SECONDS = 60.0


class ProgramMissing(RuntimeError):
    """A program the tests run for real is not on this machine."""


@contextmanager
def running(
    command: Sequence[str], ready: Callable[[], bool], user: str | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A program from its first answer to its end."""
    # No shell and no PATH of others: the command is ours.
    process = subprocess.Popen(  # noqa: S603
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
    """The address of a Redis that keeps nothing."""
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
    """The address of an empty PostgreSQL that forgets at the end."""
    programs = _postgres_programs()
    # PostgreSQL refuses to run as root.
    user = "postgres" if os.geteuid() == 0 else None
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="postgres-") as folder:
        if user:
            os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
        cluster = str(Path(folder) / "cluster")
        # fmt: off
        subprocess.run(  # noqa: S603
            [str(programs / "initdb"), "-D", cluster, "-U", "quartet", "-A", "trust",
             "--no-sync", "-E", "UTF8", "--no-locale"],
            check=True, capture_output=True, user=user, cwd="/",
        )
        command = [
            str(programs / "postgres"), "-D", cluster, "-p", str(port), "-h", "127.0.0.1",
            "-k", folder, "-c", "fsync=off", "-c", "max_connections=200",
        ]
        # fmt: on
        # It accepts connections before it can serve them.
        asking = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
        with running(command, lambda: subprocess.run(asking).returncode == 0, user):  # noqa: S603
            yield f"postgresql://quartet@127.0.0.1:{port}/postgres"


def _postgres_programs() -> Path:
    found = shutil.which("postgres")
    if found:
        return Path(found).parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if not versions:
        raise ProgramMissing("postgresql is not installed")
    return versions[-1].parent
