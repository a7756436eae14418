from typing import Any

from litestar import MediaType, get
from litestar.params import FromPath
from litestar.response import File

from quartet.kernel.service import Kernel
from quartet.kernel.web import PUBLIC, Injected, Request
from quartet.sync.distribution.service import AgentDistribution
from quartet.sync.distribution.types import Distribution

BINARY = "application/octet-stream"


def _server(request: Request, kernel: Kernel[Any]) -> str:
    """Return the URL at which the device reaches this server."""
    here = f"{request.base_url}".rstrip("/") + kernel.settings.base_path.rstrip("/")
    known: str | None = kernel.settings.public_url
    return known or here


@get("/api/agent", **PUBLIC)
async def offered(
    request: Request, agent_distribution: Injected[AgentDistribution], kernel: Injected[Kernel[Any]]
) -> Distribution:
    """Return what this server offers to new devices: the agent and the pinned Syncthing."""
    return await agent_distribution.offered(_server(request, kernel))


@get("/api/agent/file", media_type=BINARY, **PUBLIC)
async def agent_file(agent_distribution: Injected[AgentDistribution]) -> File:
    """Download the agent as one file."""
    path = await agent_distribution.agent_file()
    return File(path, filename="quartet-agent.pyz", media_type=BINARY)


@get("/api/agent/python", media_type=BINARY, **PUBLIC)
async def python_archive(agent_distribution: Injected[AgentDistribution]) -> File:
    """Download Python for devices that have none, for the same kind of system as the agent."""
    path = await agent_distribution.python_file()
    return File(path, filename=path.name, media_type=BINARY)


@get("/api/agent/program/{target:str}", media_type=BINARY, **PUBLIC)
async def agent_program(
    target: FromPath[str], agent_distribution: Injected[AgentDistribution]
) -> File:
    """Download the agent with its own Python for a platform, such as macos-arm64."""
    path = await agent_distribution.program(target)
    return File(path, filename=path.name, media_type=BINARY)


@get("/api/agent/engine/{target:str}", media_type=BINARY, **PUBLIC)
async def engine_archive(
    target: FromPath[str], agent_distribution: Injected[AgentDistribution]
) -> File:
    """Download the pinned release of Syncthing for a platform, such as linux-amd64."""
    path = await agent_distribution.engine(target)
    return File(path, filename=path.name, media_type=BINARY)


@get("/api/agent/install.sh", media_type=MediaType.TEXT, **PUBLIC)
async def shell_script(
    request: Request, agent_distribution: Injected[AgentDistribution], kernel: Injected[Kernel[Any]]
) -> str:
    """Return the script that installs the agent on Linux and macOS; it contains no secrets."""
    return await agent_distribution.shell_script(_server(request, kernel))


@get("/api/agent/install.ps1", media_type=MediaType.TEXT, **PUBLIC)
async def powershell_script(
    request: Request, agent_distribution: Injected[AgentDistribution], kernel: Injected[Kernel[Any]]
) -> str:
    """Return the script that installs the agent on Windows; it contains no secrets."""
    return await agent_distribution.powershell_script(_server(request, kernel))


ROUTES = [
    offered,
    agent_file,
    python_archive,
    agent_program,
    engine_archive,
    shell_script,
    powershell_script,
]
