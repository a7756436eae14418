"""Where the hub listens, and where devices find it."""

from quartet.sync.protocol import Peer
from quartet.sync.protocol.limits import HUB_PORT
from quartet.sync.servers.hub import SharedHub
from quartet.sync.settings import SyncSettings


def hub_listen(settings: SyncSettings) -> str:
    if settings.hub_listen:
        return settings.hub_listen
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"{host}:{HUB_PORT}"


class HubPlace:
    """Asked for every agent at every revision, so the hub itself is asked only now and then."""

    def __init__(self, settings: SyncSettings, hub: SharedHub) -> None:
        self._hub = hub
        self._port = hub_listen(settings).rpartition(":")[2]
        self.engine_id = ""

    def refresh(self) -> None:
        self.engine_id = self._hub.brief().engine_id

    def peer(self, host: str) -> Peer | None:
        """For an agent that found the server at this host; nothing while the hub has no id."""
        address = self._hub.address or f"{host}:{self._port}"
        return Peer(self.engine_id, [f"tcp://{address}"]) if self.engine_id else None
