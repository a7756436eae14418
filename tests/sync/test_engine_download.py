"""Only the pinned release is installed."""

import hashlib
import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from quartet.kernel.errors import AppError
from quartet.sync.engine import download as release

pytestmark = pytest.mark.anyio

NAME = f"syncthing-linux-amd64-{release.VERSION}"


def tar(*members: tuple[str, bytes], link: str | None = None) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        if link:
            info = tarfile.TarInfo(link)
            info.type, info.linkname = tarfile.SYMTYPE, "/bin/sh"
            archive.addfile(info)
    return out.getvalue()


async def install(
    folder: Path, archive: bytes, monkeypatch: pytest.MonkeyPatch, target: str = "linux-amd64"
) -> Path:
    digest = hashlib.sha256(archive).hexdigest()
    monkeypatch.setitem(release.SHA256, target, digest)
    asked: list[str] = []

    async def fetch(url: str) -> bytes:
        asked.append(url)
        return archive

    made = await release.download(folder, target=target, fetch=fetch)
    assert asked[0].startswith("https://github.com/syncthing/syncthing/releases/download/v2.1.3/")
    return made


async def test_program_is_extracted_by_exact_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tar(
        (f"{NAME}/etc/freebsd-rc/syncthing", b"a script"),
        (f"{NAME}/syncthing", b"the program"),
        ("../evil", b"out"),
    )
    program = await install(tmp_path / "programs", archive, monkeypatch)
    assert program.read_bytes() == b"the program"
    assert stat.S_IMODE(program.stat().st_mode) == 0o700
    assert stat.S_IMODE(program.parent.stat().st_mode) == 0o700
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [program.name]


async def test_windows_zip_is_extracted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("syncthing.exe", "not this")
        archive.writestr(f"syncthing-windows-amd64-{release.VERSION}/syncthing.exe", "this")
    program = await install(tmp_path, out.getvalue(), monkeypatch, "windows-amd64")
    assert program.read_text() == "this"


@pytest.mark.parametrize("link", [None, f"{NAME}/syncthing"])
async def test_archive_without_program_installs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: str | None
) -> None:
    with pytest.raises(AppError, match="engine_bad_archive"):
        await install(tmp_path, tar(("syncthing", b"x"), link=link), monkeypatch)
    assert list(tmp_path.iterdir()) == []


async def test_wrong_checksum_is_rejected_before_unpacking(tmp_path: Path) -> None:
    async def fetch(url: str) -> bytes:
        return b"not even an archive"

    with pytest.raises(AppError, match="engine_wrong_checksum"):
        await release.download(tmp_path, target="linux-arm64", fetch=fetch)


async def test_only_https_and_known_platforms(tmp_path: Path) -> None:
    with pytest.raises(AppError, match="engine_download_failed"):
        await release.fetch("http://127.0.0.1/syncthing.tar.gz")
    with pytest.raises(AppError, match="engine_no_release"):
        await release.download(tmp_path, target="plan9-mips")


def test_platform_names() -> None:
    assert release.this_platform("linux", "x86_64") == "linux-amd64"
    assert release.this_platform("darwin", "arm64") == "macos-arm64"
    assert release.this_platform("win32", "AMD64") == "windows-amd64"
    assert set(release.SHA256) >= {"linux-amd64", "macos-arm64", "windows-arm64"}
    assert all(len(digest) == 64 for digest in release.SHA256.values())
