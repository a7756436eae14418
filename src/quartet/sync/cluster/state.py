"""State that each control server shares with the others; it is kept in memory only."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.cluster.bus import Bus
from quartet.sync.cluster.types import ClusterMessage, ServerLeft, StateRequest, StateUpdate

PUBLISH_SECONDS = 0.3
HEARTBEAT_SECONDS = 2.0
# A server that is silent for this long is considered gone, and its rows are dropped.
SILENT_SECONDS = 8.0

# Called with the server, the name of the row and its JSON, or None if the row was removed.
Watch = Callable[[str, str, bytes | None], None]


@dataclass
class _RemoteServer:
    heard: float
    keys: set[str] = field(default_factory=set)


class ClusterState:
    """A set of rows, each with a kind and a name; a kind can be watched."""

    def __init__(self, bus: Bus, *, single_server: bool) -> None:
        self.single_server = single_server
        self._bus = bus
        self._published: dict[str, bytes] = {}
        self._pending: dict[str, object | None] = {}
        self._servers: dict[str, _RemoteServer] = {}
        self._watches: dict[str, Watch] = {}
        self._published_at = 0.0
        # Called right before publishing, so that components can update their rows.
        self.before_publishing: list[Callable[[], None]] = []
        bus.listeners.append(self._on_message)
        bus.on_loss = self.synchronize

    def watch(self, kind: str, act: Watch) -> None:
        self._watches[kind] = act

    def put(self, kind: str, name: str, row: object | None) -> None:
        """Set a row, or remove it with None; other servers see it within 300 ms."""
        if not self.single_server:
            self._pending[f"{kind} {name}"] = row

    def publish(self) -> None:
        for ask in self.before_publishing:
            ask()
        rows, gone = self._changed()
        now = time.monotonic()
        if rows or gone or now - self._published_at > HEARTBEAT_SECONDS:
            self._published_at = now
            self._bus.send(StateUpdate(self._bus.id, rows, gone))

    def _changed(self) -> tuple[dict[str, msgspec.Raw], list[str]]:
        new, self._pending = self._pending, {}
        rows: dict[str, msgspec.Raw] = {}
        gone: list[str] = []
        for key, row in new.items():
            encoded = None if row is None else msgspec.json.encode(row)
            if encoded == self._published.get(key):
                continue
            if encoded is None:
                del self._published[key]
                gone.append(key)
            else:
                self._published[key] = encoded
                rows[key] = msgspec.Raw(encoded)
        return rows, gone

    def _publish_all(self) -> None:
        self._changed()
        rows = {key: msgspec.Raw(row) for key, row in self._published.items()}
        self._bus.send(StateUpdate(self._bus.id, rows, whole=True))

    def synchronize(self) -> None:
        """Exchange complete state, at the start and after a possible loss of messages."""
        if not self.single_server:
            self._publish_all()
            self._bus.send(StateRequest(self._bus.id))

    def _on_message(self, message: ClusterMessage) -> None:
        match message:
            case StateUpdate():
                self._apply_update(message)
            case StateRequest():
                self._publish_all()
            case ServerLeft():
                self._forget(message.server)

    def _apply_update(self, message: StateUpdate) -> None:
        known = message.server in self._servers
        other = self._servers.setdefault(message.server, _RemoteServer(0.0))
        other.heard = time.monotonic()
        if not known and not message.whole:
            # The server started before us, or was considered gone.
            self._bus.send(StateRequest(self._bus.id))
        gone = other.keys - message.rows.keys() if message.whole else message.gone
        other.keys -= set(gone)
        other.keys |= message.rows.keys()
        for key in gone:
            self._notify_watcher(message.server, key, None)
        for key, row in message.rows.items():
            self._notify_watcher(message.server, key, bytes(row))

    def _notify_watcher(self, server: str, key: str, row: bytes | None) -> None:
        kind, _, name = key.partition(" ")
        if kind in self._watches:
            self._watches[kind](server, name, row)

    def _forget(self, server: str) -> None:
        other = self._servers.pop(server, None)
        for key in other.keys if other else ():
            self._notify_watcher(server, key, None)

    def forget_silent_servers(self) -> None:
        """Forget servers that have been silent for too long."""
        oldest = time.monotonic() - SILENT_SECONDS
        for server in [id for id, other in self._servers.items() if other.heard < oldest]:
            self._forget(server)

    def leave(self) -> None:
        self._bus.send(ServerLeft(self._bus.id))


def cluster_task(cluster_state: ClusterState) -> BackgroundTask:
    async def run() -> None:
        cluster_state.synchronize()
        try:
            while True:
                cluster_state.publish()
                cluster_state.forget_silent_servers()
                await asyncio.sleep(PUBLISH_SECONDS)
        finally:
            cluster_state.leave()

    return BackgroundTask("servers", run, restart_on_return=True, everywhere=True)
