"""The server offers its agent and the pinned Syncthing to devices that reach nothing else."""

import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from quartet.kernel.errors import AppError
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
        assert "@" not in script.replace("$@", "")
