"""Implements `quartet agent join`."""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from websockets.exceptions import WebSocketException

from quartet.sync.agent.client import HandshakeError, fetch_server_id
from quartet.sync.agent.discovery import discover
from quartet.sync.agent.errors import AgentError
from quartet.sync.agent.store import JoinedServer, Store
from quartet.sync.protocol import BadMessageError, fingerprint


class JoinResult(msgspec.Struct, frozen=True):
    fingerprint: str
    # None if the server could not be reached.
    server_id: str | None


def find_only_server() -> str:
    """Return the only server on the LAN; fail unless there is exactly one."""
    found = asyncio.run(discover())
    if not found:
        raise AgentError("no server found on this network; pass its address with --server")
    if len(found) > 1:
        raise AgentError(f"found several servers, choose one with --server: {', '.join(found)}")
    return found[0]


def is_address(url: str) -> bool:
    """Return True if the text is a valid http or https URL with a host."""
    try:
        parts = urlsplit(url)
        # urlsplit validates the port and the host name only when they are accessed.
        named = parts.port != 0 and (parts.hostname or "").encode("idna")
    except ValueError:
        return False
    return bool(named) and parts.scheme in ("http", "https")


def join(
    folder: Path, server: str, code: str | None, allow: list[Path], engine: Path | None
) -> JoinResult:
    store = Store(folder)
    server_id = asyncio.run(_identity(server))
    store.join(
        JoinedServer(
            server=server,
            server_id=server_id,
            code=code,
            allow=tuple(str(each) for each in allow),
            engine=str(engine.absolute()) if engine else None,
        )
    )
    return JoinResult(fingerprint(store.key().public_key().public_bytes_raw()), server_id)


async def _identity(server: str) -> str | None:
    try:
        return await fetch_server_id(server)
    except (OSError, TimeoutError, WebSocketException, BadMessageError, HandshakeError):
        return None
