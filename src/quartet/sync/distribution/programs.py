"""The agent as a program that contains Python, which a release has for several kinds of systems.

A released server knows the checksums of the programs of its own version, and fetches a program when
the first device needs it. Without these checksums, as in a checkout, it offers the programs that
are in its folder.
"""

import asyncio
import hashlib
import json
from pathlib import Path

from quartet.kernel.errors import AppError
from quartet.sync.distribution.relayed_files import RelayedFiles
from quartet.sync.distribution.types import AgentProgram
from quartet.sync.engine import download

ADDRESS = "https://github.com/quartet-project/quartet/releases/download"
# Written by scripts/agent_checksums.py before a release is packed.
CHECKSUMS = Path(__file__).with_name("programs.json")
NAMES = {
    "linux-amd64": "quartet-agent-linux-x86_64",
    "linux-arm64": "quartet-agent-linux-aarch64",
    "macos-amd64": "quartet-agent-darwin-x86_64",
    "macos-arm64": "quartet-agent-darwin-arm64",
    "windows-amd64": "quartet-agent-windows-amd64.exe",
}


class Programs:
    def __init__(self, files: RelayedFiles, version: str, checksums: Path = CHECKSUMS) -> None:
        self._files = files
        self._address = f"{ADDRESS}/v{version}"
        self._released: dict[str, str] = json.loads(checksums.read_text())
        # The checksums of files, with their time and size.
        self._known: dict[Path, tuple[tuple[int, int], str]] = {}

    def offered(self) -> list[AgentProgram]:
        """Return the programs that devices can get; this reads files."""
        return [found for target in NAMES if (found := self._program(target))]

    async def file(self, target: str) -> Path:
        """Return a program; fetch it first if this server lacks it."""
        found = await asyncio.to_thread(self._program, target) if target in NAMES else None
        if found is None:
            raise AppError(404, "agent_no_program", platform=target)
        name, wanted = NAMES[target], found.sha256

        async def fetch() -> bytes:
            url = f"{self._address}/{name}"
            try:
                return await download.fetch_verified(url, wanted, self._files.fetch)
            except AppError as error:
                raise AppError(502, "agent_not_fetched", url=url) from error

        return await self._files.fetched(name, lambda: self._checksum(name) == wanted, fetch)

    def _program(self, target: str) -> AgentProgram | None:
        name = NAMES[target]
        there = self._checksum(name)
        wanted = self._released.get(name, there)
        # A program of another version is fetched again.
        return AgentProgram(target, wanted, cached=there == wanted) if wanted else None

    def _checksum(self, name: str) -> str:
        path = self._files.path(name)
        try:
            status = path.stat()
        except FileNotFoundError:
            return ""
        state = (status.st_mtime_ns, status.st_size)
        known, sha256 = self._known.get(path, (None, ""))
        if known != state:
            sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
            self._known[path] = state, sha256
        return sha256
