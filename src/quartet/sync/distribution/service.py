import asyncio
import hashlib
import logging
import re
import shlex
import sys
from collections.abc import Callable
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError
from quartet.sync.distribution.types import AgentFile, Distribution, EngineArchive
from quartet.sync.engine import download

if TYPE_CHECKING:
    from quartet.sync.distribution.programs import Programs
    from quartet.sync.distribution.relayed_files import RelayedFiles

log = logging.getLogger("quartet.sync.distribution")

SCRIPTS = Path(__file__).parent
# The libraries that Python loads are read from /proc.
CAN_PACK_PYTHON = sys.platform == "linux"
PYTHON = ".".join(map(str, sys.version_info[:2]))
PLACEHOLDER = re.compile("@([A-Z0-9_]+)@")


class AgentDistribution:
    """The agent and the pinned Syncthing, for devices that reach only this server."""

    def __init__(self, folder: Path, fetch: download.Fetch = download.fetch) -> None:
        self._folder = folder
        self._fetch = fetch
        self._file = folder / f"quartet-agent-{download.this_platform()}-py{PYTHON}.pyz"
        self._agent: AgentFile | None = None
        self._python = folder / f"python-{PYTHON}-{download.this_platform()}.tar.gz"
        self._python_packed = False
        self._building = asyncio.Lock()

    # Imported when the first device asks, because the start does not need them.
    @cached_property
    def _relayed(self) -> "RelayedFiles":
        from quartet.sync.distribution.relayed_files import RelayedFiles

        return RelayedFiles(self._folder, self._fetch)

    @cached_property
    def _programs(self) -> "Programs":
        from quartet.sync.distribution.programs import Programs

        return Programs(self._relayed, metadata.version("quartet-suite"))

    async def offered(self, server: str) -> Distribution:
        return Distribution(
            server=server,
            agent=await self.agent(),
            programs=await asyncio.to_thread(self._programs.offered),
            engine_version=download.VERSION,
            engines=[
                EngineArchive(target, sha256, self._archive(target).is_file())
                for target, sha256 in download.SHA256.items()
            ],
        )

    async def agent(self) -> AgentFile:
        """Build the file once per start, because an update changes its content."""
        async with self._building:
            if self._agent is None:
                await self._build("bundle", self._file)
                self._agent = await asyncio.to_thread(_described, self._file)
                log.info("agent built: %s, %d bytes", self._file.name, self._agent.size)
            return self._agent

    async def agent_file(self) -> Path:
        await self.agent()
        return self._file

    async def python_file(self) -> Path:
        """Pack Python when the first device asks for it, once per start."""
        if not CAN_PACK_PYTHON:
            raise AppError(404, "not_found")
        async with self._building:
            if not self._python_packed:
                await self._build("runtime", self._python)
                self._python_packed = True
                log.info("Python packed: %s", self._python.name)
        return self._python

    async def _build(self, module: str, file: Path) -> None:
        command = [sys.executable, "-m", f"quartet.sync.distribution.{module}", str(file)]
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
        )
        _, errors = await process.communicate()
        if process.returncode != 0:
            reason = errors.decode(errors="replace").strip().splitlines()[-1:]
            log.error("%s not built: %s", file.name, " ".join(reason))
            raise AppError(500, "agent_not_built")

    async def program(self, target: str) -> Path:
        """Return the agent as a program with its own Python."""
        return await self._programs.file(target)

    async def engine(self, target: str) -> Path:
        """Return the archive of the pinned release; fetch it first if this server lacks it."""
        if target not in download.SHA256:
            raise AppError(404, "engine_no_release", platform=target)
        return await self._relayed.fetched(
            download.archive_name(target),
            self._archive(target).is_file,
            lambda: download.fetch_archive(target, self._relayed.fetch),
        )

    def _archive(self, target: str) -> Path:
        return self._relayed.path(download.archive_name(target))

    async def shell_script(self, server: str) -> str:
        """Return the script for Linux and macOS."""
        return await self._script("install.sh", server, shlex.quote)

    async def powershell_script(self, server: str) -> str:
        return await self._script("install.ps1", server, _quote_for_powershell)

    async def _script(self, name: str, server: str, quote: Callable[[str], str]) -> str:
        agent = await self.agent()
        programs = await asyncio.to_thread(self._programs.offered)
        values = {
            "SERVER": server,
            "PLATFORM": agent.platform,
            "PYTHON": agent.python,
            "SHA256": agent.sha256,
            "PYTHON_SENT": "yes" if CAN_PACK_PYTHON else "no",
            "PROGRAMS": "\n".join(f"{each.platform} {each.sha256}" for each in programs),
        }
        # In one pass, so that nothing is replaced inside a value.
        text = (SCRIPTS / name).read_text()
        return PLACEHOLDER.sub(lambda match: quote(values[match[1]]), text)


def _quote_for_powershell(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _described(file: Path) -> AgentFile:
    content = file.read_bytes()
    return AgentFile(
        download.this_platform(), PYTHON, hashlib.sha256(content).hexdigest(), len(content)
    )
