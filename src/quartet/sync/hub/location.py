"""The listen address of this server's hub, and the addresses at which devices reach their hubs."""

from collections.abc import Mapping

from quartet.sync.hub.shared import SharedHub
from quartet.sync.protocol import Peer
from quartet.sync.protocol.limits import HUB_PORT
from quartet.sync.settings import SyncSettings


def hub_listen(settings: SyncSettings) -> str:
    if settings.hub_listen:
        return settings.hub_listen
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"{host}:{HUB_PORT}"


def hub_port(settings: SyncSettings) -> str:
    return hub_listen(settings).rpartition(":")[2]


def _loopback(listen: str) -> tuple[str, int]:
    """Return the address at which this server reaches its own hub."""
    host, _, port = listen.rpartition(":")
    host = host.strip("[]")
    return {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), int(port)  # noqa: S104


class HubLocator:
    """Caches the engine ids, because they are needed for every agent at every revision."""

    def __init__(self, settings: SyncSettings, hubs: Mapping[str, SharedHub]) -> None:
        self._hubs = hubs
        self._port = hub_port(settings)
        self._own = _loopback(hub_listen(settings))
        self._ids: dict[str, str] = {}

    def refresh(self) -> None:
        self._ids = {name: hub.brief().engine_id for name, hub in self._hubs.items()}

    def peer(self, host: str, name: str) -> Peer | None:
        """Return the hub for an agent that reached the server at `host`, or None while the hub's id
        is unknown.
        """
        engine_id = self._ids.get(name)
        if not engine_id or name not in self._hubs:
            return None
        address = self._hubs[name].address or f"{host}:{self._port}"
        return Peer(engine_id, [f"tcp://{address}"])

    def dialled(self, name: str) -> tuple[str, int] | None:
        """Return the host and port at which this server reaches a hub, if it knows them."""
        hub = self._hubs.get(name)
        if hub is None or not (hub.owned or hub.address):
            return None
        return self._own if hub.owned else _loopback(hub.address)
