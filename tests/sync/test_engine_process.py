"""An engine is one process that ends with the program that started it."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from quartet.kernel.errors import AppError
from quartet.sync.engine import Engine, process
from quartet.sync.engine.rest import Access, Rest
from tests.real_servers import free_port
from tests.sync.engines import engine, program, program_path

pytestmark = pytest.mark.anyio


def children_of(pid: int) -> list[str]:
    found = (each.read_text().split() for each in Path(f"/proc/{pid}/task").glob("*/children"))
    return [child for each in found for child in each]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def test_killed_engine_can_be_restarted(tmp_path: Path) -> None:
    async with engine(tmp_path / "home") as made:
        assert children_of(made.pid) == []
        os.kill(made.pid, signal.SIGKILL)
        with pytest.raises(AppError, match="engine_exited"):
            await made.ended
        await made.stop()
        # Restart it as the service manager would.
        async with engine(tmp_path / "home") as again:
            assert again.id == made.id


async def test_hanging_engine_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def unanswered(_rest: Rest) -> None:
        raise AppError(503, "engine_unreachable")

    # Avoids waiting for the request timeout.
    monkeypatch.setattr(Rest, "shut_down", unanswered)
    monkeypatch.setattr(process, "STOP_SECONDS", 0.2)
    async with engine(tmp_path / "home") as made:
        pid = made.pid
        os.kill(pid, signal.SIGSTOP)
        await made.stop()
        assert not is_alive(pid)


async def test_process_that_keeps_output_of_exited_engine_open_is_not_awaited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "LAST_LINES_SECONDS", 0.2)
    made = await asyncio.create_subprocess_exec(
        *("/bin/sh", "-c", "sleep 60 & echo $!; exit 3"), stdout=asyncio.subprocess.PIPE
    )
    rest = Rest(Access(f"unix://{tmp_path}/api.sock", "key"))
    running = process.EngineProcess(made, rest, tmp_path, None)
    with pytest.raises(AppError, match="engine_exited"):
        await running.wait()
    await running.stop()
    [sleeping] = running.last_lines
    assert is_alive(int(sleeping))
    os.kill(int(sleeping), signal.SIGKILL)
    # Now the output ends, which closes the pipe.
    assert made.stdout is not None
    await made.stdout.read()
    await made.wait()


async def test_start_waits_for_leftover_engine(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with engine(home) as left_over:
        nobody = Access(f"unix://{tmp_path / 'nobody'}", "key")
        (home / "running.json").write_bytes(msgspec.json.encode(nobody))
        new = Engine(await program(), home)
        starting = asyncio.create_task(new.start())
        await asyncio.wait([starting], timeout=1)
        await left_over.stop()
        await starting
        assert new.id == left_over.id
        await new.stop()


async def test_hanging_leftover_engine_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "LEFTOVER_SECONDS", 0.5)
    home = tmp_path / "home"
    async with engine(home) as left_over:
        nobody = Access(f"unix://{tmp_path / 'nobody'}", "key")
        (home / "running.json").write_bytes(msgspec.json.encode(nobody))
        os.kill(left_over.pid, signal.SIGSTOP)
        new = Engine(await program(), home)
        await new.start()
        assert new.id == left_over.id
        assert not is_alive(left_over.pid)
        with pytest.raises(AppError, match="engine_exited"):
            await left_over.ended
        await new.stop()


async def test_leftover_engine_does_not_change_listen_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shut_down = Rest.shut_down

    async def at_work_until_the_end(rest: Rest) -> None:
        # Makes the engine write its configuration.
        await rest.request("PATCH", "config/options", {"progressUpdateIntervalS": 7})
        await shut_down(rest)

    home, listen = tmp_path / "home", [f"tcp://127.0.0.1:{free_port()}"]
    async with engine(home, port=free_port()) as left_over:
        monkeypatch.setattr(Rest, "shut_down", at_work_until_the_end)
        new = Engine(await program(), home, listen=listen)
        await new.start()
        assert (await new.rest.config())["options"]["listenAddresses"] == listen
        with pytest.raises(AppError, match="engine_exited"):
            await left_over.ended
        monkeypatch.undo()
        await new.stop()


async def test_migrating_engine_is_not_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine of a new major version converts its database before it answers."""
    slow = tmp_path / "syncthing"
    slow.write_text(
        f"""#!/bin/sh
if [ "$1" = serve ]; then
  for file in 1 2 3; do echo "Migrated $file of 3 files to the new database"; sleep 1.1; done
fi
exec {program_path()} "$@"
"""
    )
    slow.chmod(0o755)
    # Long enough for the first line on a busy machine, and shorter than the migration.
    monkeypatch.setattr(process, "START_SECONDS", 3)
    monkeypatch.setattr(process, "MIGRATION_POLL_SECONDS", 0.05)
    told: list[str] = []
    made = Engine(replace(await program(), path=slow), tmp_path / "home")
    await made.start(told.append)
    await made.stop()
    assert "Migrated 2 of 3 files to the new database" in told


async def test_silent_engine_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = tmp_path / "syncthing"
    silent.write_text(f'#!/bin/sh\n[ "$1" = serve ] && exec sleep 60\nexec {program_path()} "$@"\n')
    silent.chmod(0o755)
    monkeypatch.setattr(process, "START_SECONDS", 0.2)
    with pytest.raises(AppError, match="engine_not_answering"):
        await Engine(replace(await program(), path=silent), tmp_path / "home").start()


STARTER = """
import asyncio, sys
from pathlib import Path
from tests.sync.engines import engine

async def main() -> None:
    async with engine(Path(sys.argv[1])) as made:
        print(made.pid, flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux ends a process with its parent")
@pytest.mark.parametrize("frozen", ["", "sys.frozen = True\n"], ids=["Python", "contained"])
async def test_engine_ends_with_killed_parent(tmp_path: Path, frozen: str) -> None:
    starter_code = STARTER.replace("async def", f"{frozen}async def", 1)
    command = [sys.executable, "-c", starter_code, str(tmp_path / "home")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        # A stopped engine cannot react to anything, as if it hung or had nothing to log.
        os.kill(pid, signal.SIGSTOP)
        starter.kill()
    deadline = time.monotonic() + 60
    while is_alive(pid):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
