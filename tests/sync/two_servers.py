"""Two control servers, each a process with its own data folder, on one PostgreSQL."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx

from quartet.kernel.startup import open_kernel
from quartet.sync.app import SERVICE
from quartet.sync.login.service import Login
from tests.client import NO_AUTHORITIES
from tests.process import quartet_serve
from tests.real_servers import free_port
from tests.sync.agent import Agent
from tests.sync.processes import PASSWORD, Server

Pair = tuple[Server, Server]


@contextmanager
def two_servers(folder: Path, database: str, **variables: str) -> Iterator[Pair]:
    set_password(folder, database)
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(one_server(folder / name, database, folder / "hub", **variables))
            for name in ("first", "second")
        )
        yield first, second


def set_password(folder: Path, database: str) -> None:
    kernel = open_kernel(SERVICE, SERVICE.settings(data=folder, database_url=database))
    Login(kernel.db).set_password(PASSWORD)
    kernel.db.close()


@contextmanager
def one_server(folder: Path, database: str, hub: Path, **variables: str) -> Iterator[Server]:
    folder.mkdir()
    address = f"127.0.0.1:{free_port()}"
    variables = {
        "DATABASE_URL": database,
        "SYNC_HUB_DATA": str(hub),
        "SYNC_HUB_LISTEN": address,
        "SYNC_HUB_ADDRESS": address,
        **variables,
    }
    with quartet_serve(folder, services=("sync",), **variables) as running:
        url = running.addresses["sync"]
        with httpx.Client(base_url=url, timeout=60, verify=NO_AUTHORITIES) as api:
            token = api.post("/api/login", json={"password": PASSWORD}).json()["csrfToken"]
            api.headers["X-CSRF-Token"] = token
            yield Server(url, api, hub, running.process)


def at(server: Server, agent: Agent) -> Agent:
    """Return the same device, dialling another server."""
    other = Agent(server.url)
    other.key, other.engine = agent.key, agent.engine
    return other


def shown(server: Server, device_id: int) -> dict[str, Any]:
    found: dict[str, Any] = next(
        each for each in server.get("/api/overview")["devices"] if each["id"] == device_id
    )
    return found
