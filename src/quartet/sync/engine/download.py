"""Downloads the pinned Syncthing release over https and verifies its checksum before unpacking."""

import asyncio
import hashlib
import io
import logging
import os
import platform
import sys
import tarfile
import zipfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError
from quartet.sync.engine.program import Program, find_program, probe, reads_data

if TYPE_CHECKING:
    import aiohttp

log = logging.getLogger("quartet.sync.engine")

VERSION = "v2.1.3"
ADDRESS = "https://github.com/syncthing/syncthing/releases/download"
SHA256 = {
    "linux-amd64": "f929eb8e5b72a85543eeeefb2c38f34a68e0c530e70758a2905b78840c76602c",
    "linux-arm64": "a5c046965b590a8de2f8c8c16a0dbf9201d99600b0cafd604040232b603e4586",
    "macos-amd64": "207557c0f708578375be9a286d13078cd709bfccae43d61d004913bb512b10aa",
    "macos-arm64": "e0f0d8df05bf0118c48c6515214a96bf3a3f11dbd115f56c3c0b52251b3f71aa",
    "windows-amd64": "c0b79cffa6ce5dad5ed41ede86454f3325d13ccac33447a528cb59d65fbc3a21",
    "windows-arm64": "c8a00ff23ce54ca07c5749e40a72c0515150dfcc57f640832fb7eb5d55184675",
}
ARCHIVE_BYTES = 64 * 1024 * 1024
PROGRAM_BYTES = 128 * 1024 * 1024
FETCH_SECONDS = 600

Fetch = Callable[[str], Awaitable[bytes]]


def this_platform(system: str = sys.platform, machine: str | None = None) -> str:
    """Return the platform as spelled in the file names of a release."""
    systems = {"linux": "linux", "darwin": "macos", "win32": "windows"}
    machines = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
    cpu = (machine or platform.machine()).lower()
    return f"{systems.get(system, system)}-{machines.get(cpu, cpu)}"


def downloaded_program(folder: Path) -> Path:
    """Return the path of the pinned release, whether downloaded yet or not."""
    return folder / f"syncthing-{VERSION}{'.exe' if sys.platform == 'win32' else ''}"


async def find_or_download(
    given: Path | None, folder: Path, home: Path, *, relay: str = ""
) -> Program:
    """Return the configured or installed program; otherwise download the pinned release.

    An installed program that is too old for the data in `home` is not used. `relay` is the address
    of a control server that offers the release.
    """
    ours = downloaded_program(folder)
    path = find_program(given, ours) or await download(folder, relay=relay)
    program = await probe(path)
    if not reads_data(program, home) and given is None and path != ours:
        program = await probe(ours if ours.is_file() else await download(folder, relay=relay))
    if not reads_data(program, home):
        raise AppError(500, "engine_older_than_data", version=program.version)
    return program


async def fetch(url: str) -> bytes:
    """Download over https only, including redirects."""
    import aiohttp

    async with aiohttp.ClientSession(timeout=_timeout(), trust_env=True) as session:
        for _ in range(5):
            if not url.startswith("https://"):
                raise AppError(502, "engine_download_failed", url=url)
            async with session.get(url, allow_redirects=False) as answer:
                if answer.status in (301, 302, 303, 307, 308):
                    url = answer.headers.get("Location", "")
                    continue
                if answer.status != 200:
                    break
                return await _capped(answer)
    raise AppError(502, "engine_download_failed", url=url)


async def fetch_from_relay(url: str) -> bytes:
    """Download from the control server, also over plain http: the checksum is pinned."""
    import aiohttp

    async with (
        aiohttp.ClientSession(timeout=_timeout(), trust_env=True) as session,
        session.get(url, allow_redirects=False) as answer,
    ):
        if answer.status != 200:
            raise AppError(502, "engine_download_failed", url=url)
        return await _capped(answer)


def _timeout() -> "aiohttp.ClientTimeout":
    import aiohttp

    return aiohttp.ClientTimeout(total=FETCH_SECONDS, sock_connect=30, sock_read=60)


async def _capped(answer: "aiohttp.ClientResponse") -> bytes:
    content = bytearray()
    async for piece in answer.content.iter_chunked(1 << 16):
        content += piece
        if len(content) > ARCHIVE_BYTES:
            raise AppError(502, "engine_download_failed", url=str(answer.url))
    return bytes(content)


async def download(
    folder: Path, *, target: str = "", fetch: Fetch = fetch, relay: str = ""
) -> Path:
    """Download and install the release, from the relay if that one has it."""
    target = target or this_platform()
    if target not in SHA256:
        raise AppError(500, "engine_no_release", platform=target)
    archive = await _relayed(target, relay) if relay else None
    if archive is None:
        archive = await fetch_archive(target, fetch)
    name = f"syncthing-{target}-{VERSION}"
    return await asyncio.to_thread(_install, archive, name, target, downloaded_program(folder))


def archive_name(target: str) -> str:
    kind = "tar.gz" if target.startswith("linux") else "zip"
    return f"syncthing-{target}-{VERSION}.{kind}"


async def _relayed(target: str, relay: str) -> bytes | None:
    url = f"{relay.rstrip('/')}/api/agent/engine/{target}"
    try:
        return await _verified(target, url, fetch_from_relay)
    except AppError as error:
        log.warning("Syncthing not available at %s: %s", url, error.code)
        return None


async def fetch_archive(target: str, fetch: Fetch = fetch) -> bytes:
    """Return the archive of the release for this platform."""
    return await _verified(target, f"{ADDRESS}/{VERSION}/{archive_name(target)}", fetch)


async def _verified(target: str, url: str, fetch: Fetch) -> bytes:
    return await fetch_verified(url, SHA256[target], fetch)


async def fetch_verified(url: str, sha256: str, fetch: Fetch) -> bytes:
    """Download a file, and raise unless it has this checksum."""
    import aiohttp

    log.info("downloading %s", url)
    try:
        content = await fetch(url)
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        raise AppError(502, "engine_download_failed", url=url) from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise AppError(502, "engine_wrong_checksum", url=url)
    return content


def _install(archive: bytes, name: str, target: str, program: Path) -> Path:
    if target.startswith("linux"):
        content = _from_tar(archive, f"{name}/syncthing")
    else:
        suffix = ".exe" if target.startswith("windows") else ""
        content = _from_zip(archive, f"{name}/syncthing{suffix}")
    program.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = program.with_suffix(".part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700), "wb") as file:
        file.write(content)
    part.replace(program)
    return program


# Only one member with the exact path is read and nothing is extracted, so links and `..` in the
# archive are harmless.
def _from_tar(archive: bytes, member: str) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
        for info in tar:
            if info.name == member and info.isreg() and info.size <= PROGRAM_BYTES:
                file = tar.extractfile(info)
                if file is not None:
                    return file.read()
    raise AppError(502, "engine_bad_archive")


def _from_zip(archive: bytes, member: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(archive)) as pack:
        for info in pack.infolist():
            if info.filename == member and info.file_size <= PROGRAM_BYTES:
                return pack.read(info)
    raise AppError(502, "engine_bad_archive")
