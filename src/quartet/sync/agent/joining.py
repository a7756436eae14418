"""Implements `quartet agent join`."""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from websockets.exceptions import WebSocketException

from quartet.sync.agent.client import identify_server
from quartet.sync.agent.discovery import discover
from quartet.sync.agent.errors import AgentError, HandshakeError
from quartet.sync.agent.store import JoinedServer, Store
from quartet.sync.protocol import BadMessageError, fingerprint, server_fingerprint


class JoinResult(msgspec.Struct, frozen=True):
    fingerprint: str
    # None if the server could not be reached or has no key.
    server_fingerprint: str | None


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
    """Save the server to join; fail if its key is not the one that the code contains."""
    store = Store(folder)
    wanted = JoinedServer(
        server=server,
        code=code,
        allow=tuple(str(each) for each in allow),
        engine=str(engine.absolute()) if engine else None,
    )
    found = asyncio.run(_identified(wanted))
    store.join(found)
    known = server_fingerprint(found.server_key) if found.server_key else None
    return JoinResult(fingerprint(store.key().public_key().public_bytes_raw()), known)


async def _identified(wanted: JoinedServer) -> JoinedServer:
    """Return the server with its identity; unchanged if it cannot be reached now."""
    try:
        return await identify_server(wanted)
    except HandshakeError as error:
        raise AgentError(str(error)) from error
    except (OSError, TimeoutError, WebSocketException, BadMessageError):
        return wanted
