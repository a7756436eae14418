"""The server offers its agent and the pinned Syncthing to devices that reach nothing else."""

import asyncio
import hashlib
import io
import json
import os
import re
import tarfile
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from quartet.kernel.errors import AppError
from quartet.sync.distribution.programs import Programs
from quartet.sync.distribution.relayed_files import RelayedFiles
from quartet.sync.distribution.service import AgentDistribution
from quartet.sync.engine import download
from tests.sync.running_app import RunningApp

pytestmark = pytest.mark.anyio

TARGET = "linux-amd64"


def archive(content: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        info = tarfile.TarInfo(f"syncthing-{TARGET}-{download.VERSION}/syncthing")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return made.getvalue()


async def unreachable(url: str) -> bytes:
    raise AppError(502, "engine_download_failed", url=url)


async def test_engine_is_relayed_by_server_without_internet_access(
    app: RunningApp, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = archive(b"the engine")
    monkeypatch.setitem(download.SHA256, TARGET, hashlib.sha256(packed).hexdigest())
    cached = data / "agents" / download.archive_name(TARGET)
    cached.parent.mkdir(parents=True, exist_ok=True)
    cached.write_bytes(packed)
    # The page and the relay are public.
    app.admin.cookies.clear()
    offered = await app.get("/api/agent")
    assert [each["platform"] for each in offered["engines"] if each["cached"]] == [TARGET]
    path = await download.download(tmp_path, target=TARGET, fetch=unreachable, relay=app.url)
    assert path.read_bytes() == b"the engine"
    cached.write_bytes(b"tampered")
    with pytest.raises(AppError, match="engine_download_failed"):
        await download.download(tmp_path, target=TARGET, fetch=unreachable, relay=app.url)


async def test_server_fetches_engine_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed, fetched = archive(b"the engine"), list[str]()
    monkeypatch.setitem(download.SHA256, TARGET, hashlib.sha256(packed).hexdigest())

    async def fetch(url: str) -> bytes:
        fetched.append(url)
        return packed

    files = AgentDistribution(tmp_path, fetch)
    assert (await files.engine(TARGET)).read_bytes() == packed
    await files.engine(TARGET)
    assert len(fetched) == 1
    with pytest.raises(AppError, match="engine_no_release"):
        await files.engine("../linux-amd64")


async def test_server_does_not_repeat_failed_download_at_once(tmp_path: Path) -> None:
    fetched: list[str] = []

    async def cut_off(url: str) -> bytes:
        fetched.append(url)
        return await unreachable(url)

    files = AgentDistribution(tmp_path, cut_off)
    for _ in range(3):
        with pytest.raises(AppError, match="engine_download_failed"):
            await files.engine(TARGET)
    assert len(fetched) == 1


async def test_agent_is_offered_with_its_checksum(app: RunningApp) -> None:
    app.admin.cookies.clear()
    offered = await app.get("/api/agent")
    file = await app.admin.get("/api/agent/file")
    assert hashlib.sha256(file.content).hexdigest() == offered["agent"]["sha256"]
    for name in ("install.sh", "install.ps1"):
        script = (await app.admin.get(f"/api/agent/{name}")).text
        assert offered["agent"]["sha256"] in script
        assert app.url in script
        assert not re.search("@[A-Z0-9_]+@", script)


async def test_program_of_release_is_fetched_once_and_verified(tmp_path: Path) -> None:
    released, fetched = b"the program", list[str]()
    checksums = tmp_path / "programs.json"
    name = "quartet-agent-windows-amd64.exe"
    checksums.write_text(json.dumps({name: hashlib.sha256(released).hexdigest()}))
    # Left by an earlier version.
    (tmp_path / name).write_bytes(b"an old program")

    async def fetch(url: str) -> bytes:
        fetched.append(url)
        return released if len(fetched) > 1 else b"tampered"

    programs = Programs(RelayedFiles(tmp_path, fetch), "1.2.3", checksums)
    [offered] = programs.offered()
    assert (offered.platform, offered.cached) == ("windows-amd64", False)
    with pytest.raises(AppError, match="agent_not_fetched"):
        await programs.file("windows-amd64")
    programs = Programs(RelayedFiles(tmp_path, fetch), "1.2.3", checksums)
    for _ in range(2):
        assert (await programs.file("windows-amd64")).read_bytes() == released
    assert len(fetched) == 2
    assert fetched[0].endswith(f"/v1.2.3/{name}")
    for missing in ("macos-arm64", "../sync"):
        with pytest.raises(AppError, match="agent_no_program"):
            await programs.file(missing)


async def test_mac_without_python_gets_program_of_server(
    app: RunningApp, data: Path, tmp_path: Path
) -> None:
    given, home, commands = data / "agents", tmp_path / "home", tmp_path / "bin"
    for folder in (given, home, commands):
        folder.mkdir(exist_ok=True)
    program = given / "quartet-agent-darwin-arm64"
    program.write_text('#!/bin/sh\necho "$*" >> "$HOME/calls"\n')
    uname = commands / "uname"
    uname.write_text('#!/bin/sh\n[ "$1" = -s ] && echo Darwin || echo arm64\n')
    uname.chmod(0o755)
    environment = {"HOME": str(home), "PATH": f"{commands}:{os.environ['PATH']}"}

    async def run(script: str) -> str:
        process = await asyncio.create_subprocess_exec(
            *("sh", "-s", "--", "CODE"), stdin=PIPE, stderr=PIPE, env=environment
        )
        return (await process.communicate(script.encode()))[1].decode()

    script = (await app.admin.get("/api/agent/install.sh")).text
    assert await run(script) == ""
    calls = (home / "calls").read_text().splitlines()
    assert calls[1:] == [f"agent join --server {app.url} CODE", "agent service install"]
    installed = home / ".local/share/quartet-agent/quartet-agent"
    assert installed.read_bytes() == program.read_bytes()
    # Someone changes the traffic after the script has been sent.
    program.write_text("#!/bin/sh\ntouch tampered\n")
    assert "wrong checksum" in await run(script)
    assert installed.read_text() != program.read_text()
    uname.write_text('#!/bin/sh\n[ "$1" = -s ] && echo Darwin || echo x86_64\n')
    assert "no agent for macos-amd64" in await run(script)
