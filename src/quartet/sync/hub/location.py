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


class HubLocator:
    """Caches the engine ids, because they are needed for every agent at every revision."""

    def __init__(self, settings: SyncSettings, hubs: Mapping[str, SharedHub]) -> None:
        self._hubs = hubs
        self._port = hub_port(settings)
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
