"""`quartet agent join`."""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from websockets.exceptions import WebSocketException

from quartet.sync.agent.client import Refused, ask_identity
from quartet.sync.agent.discovery import discover
from quartet.sync.agent.errors import AgentError
from quartet.sync.agent.store import Joined, Store
from quartet.sync.protocol import BadMessageError, fingerprint


class Done(msgspec.Struct, frozen=True):
    fingerprint: str
    # Unknown when the server could not be reached.
    server_id: str | None


def only_server() -> str:
    """The one server on the LAN; to choose among several is not for us."""
    found = asyncio.run(discover())
    if not found:
        raise AgentError("no server answers on this network; name it with --server")
    if len(found) > 1:
        raise AgentError(f"several servers answer, choose with --server: {', '.join(found)}")
    return found[0]


def is_address(url: str) -> bool:
    """Whether somebody could be there."""
    try:
        parts = urlsplit(url)
        # Both are looked at only when they are asked for.
        named = parts.port != 0 and (parts.hostname or "").encode("idna")
    except ValueError:
        return False
    return bool(named) and parts.scheme in ("http", "https")


def join(
    folder: Path, server: str, code: str | None, allow: list[Path], engine: Path | None
) -> Done:
    store = Store(folder)
    server_id = asyncio.run(_identity(server))
    store.join(
        Joined(
            server=server,
            server_id=server_id,
            code=code,
            allow=tuple(str(each) for each in allow),
            engine=str(engine.absolute()) if engine else None,
        )
    )
    return Done(fingerprint(store.key().public_key().public_bytes_raw()), server_id)


async def _identity(server: str) -> str | None:
    try:
        return await ask_identity(server)
    except (OSError, TimeoutError, WebSocketException, BadMessageError, Refused):
        return None
