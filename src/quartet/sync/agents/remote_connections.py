"""Devices that are connected to another control server."""

from collections.abc import Callable, Collection

import msgspec

from quartet.sync.agents.reports import Reports
from quartet.sync.agents.types import DeviceRow
from quartet.sync.cluster.state import ClusterState

KIND = "device"


class RemoteConnections:
    def __init__(self, cluster_state: ClusterState, reports: Reports) -> None:
        self._cluster_state = cluster_state
        self._reports = reports
        # By device: the server and the generation of the connection.
        self._connections: dict[int, tuple[str, int]] = {}
        # Called with a newer connection; returns True if this server has an even newer one.
        self.on_newer_connection: Callable[[int, int], bool] = lambda _device_id, _generation: False
        cluster_state.watch(KIND, self._on_row)

    def devices(self) -> Collection[int]:
        return self._connections.keys()

    def generation(self, device_id: int) -> int:
        """Return -1 if the device is not connected to another server."""
        return self._connections.get(device_id, ("", -1))[1]

    def server(self, device_id: int) -> str | None:
        """Return the server that the device is connected to."""
        return self._connections.get(device_id, (None, -1))[0]

    def forget(self, device_id: int) -> None:
        self._connections.pop(device_id, None)

    def publish(self, device_id: int, generation: int) -> None:
        if not self._cluster_state.single_server:
            row = self._reports.row(device_id, generation)
            self._cluster_state.put(KIND, str(device_id), row)

    def withdraw(self, device_id: int) -> None:
        self._cluster_state.put(KIND, str(device_id), None)

    def _on_row(self, server: str, name: str, raw: bytes | None) -> None:
        device_id = int(name)
        where, known = self._connections.get(device_id, ("", -1))
        if raw is None:
            if where == server:
                del self._connections[device_id]
                self._reports.disconnected_elsewhere(device_id)
            return
        row = msgspec.json.decode(raw, type=DeviceRow)
        if row.generation < known or self.on_newer_connection(device_id, row.generation):
            return
        self._connections[device_id] = (server, row.generation)
        self._reports.accept(device_id, row)
