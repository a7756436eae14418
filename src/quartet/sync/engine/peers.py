"""Tracks which peers of an engine are connected, and which unknown devices try to connect."""

from collections.abc import Callable
from typing import Any

from quartet.sync.engine.rest import Rest
from quartet.sync.engine.types import EngineEvent, PendingPeer

WAIT_SECONDS = 30
TYPES = "DeviceConnected,DeviceDisconnected,PendingDevicesChanged"
# Every device that reaches the port of the engine can appear here.
MOST_PENDING = 100


class PeerWatch:
    """Calls `on_change` after every change."""

    def __init__(self, rest: Rest, on_change: Callable[[], None]) -> None:
        self._rest = rest
        self._on_change = on_change
        # Versions of Syncthing by engine id.
        self.connected: dict[str, str] = {}
        self.pending: dict[str, PendingPeer] = {}

    async def run(self) -> None:
        # Get the event position before reading the state, so that no change is missed.
        events = await self._rest.events(0, 0, types=TYPES)
        since = events[-1].id if events else 0
        await self._query()
        while True:
            events = await self._rest.events(since, WAIT_SECONDS, types=TYPES)
            if events and since and events[0].id > since + 1:
                # Events were lost: the engine keeps only the last thousand.
                await self._query()
            for event in events:
                self._handle(event)
            if events:
                since = events[-1].id
                self._on_change()

    async def _query(self) -> None:
        connections = (await self._rest.connections()).connections
        self.connected = {
            peer: each.client_version for peer, each in connections.items() if each.connected
        }
        self.pending = dict(list((await self._rest.pending_peers()).items())[:MOST_PENDING])
        self._on_change()

    def _handle(self, event: EngineEvent) -> None:
        data: dict[str, Any] = event.data if isinstance(event.data, dict) else {}
        if event.type == "DeviceConnected":
            self.connected[str(data.get("id"))] = str(data.get("clientVersion", ""))
        elif event.type == "DeviceDisconnected":
            self.connected.pop(str(data.get("id")), None)
        else:
            self._handle_pending(data)

    def _handle_pending(self, data: dict[str, Any]) -> None:
        for each in data.get("removed") or []:
            self.pending.pop(str(each.get("deviceID")), None)
        for each in data.get("added") or []:
            if len(self.pending) < MOST_PENDING:
                peer = PendingPeer(str(each.get("name", "")), str(each.get("address", "")))
                self.pending[str(each.get("deviceID"))] = peer
