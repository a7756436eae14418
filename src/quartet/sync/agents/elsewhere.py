"""Devices that are connected to another control server."""

from collections.abc import Callable, Collection

import msgspec

from quartet.sync.agents.reports import Reports
from quartet.sync.agents.types import DeviceRow
from quartet.sync.cluster.state import Board

KIND = "device"


class Elsewhere:
    def __init__(self, board: Board, reports: Reports) -> None:
        self._board = board
        self._reports = reports
        # By device: the server and the number of its connection.
        self._at: dict[int, tuple[str, int]] = {}
        # Told of a newer connection; says whether this server has one that is newer still.
        self.on_newer: Callable[[int, int], bool] = lambda _device_id, _generation: False
        board.watch(KIND, self._hear)

    def devices(self) -> Collection[int]:
        return self._at.keys()

    def generation(self, device_id: int) -> int:
        """-1 when it is not connected elsewhere."""
        return self._at.get(device_id, ("", -1))[1]

    def came_here(self, device_id: int) -> None:
        self._at.pop(device_id, None)

    def show(self, device_id: int, generation: int) -> None:
        if not self._board.alone:
            row = self._reports.row(device_id, generation)
            self._board.put(KIND, str(device_id), row)

    def hide(self, device_id: int) -> None:
        self._board.put(KIND, str(device_id), None)

    def _hear(self, server: str, name: str, raw: bytes | None) -> None:
        device_id = int(name)
        where, known = self._at.get(device_id, ("", -1))
        if raw is None:
            if where == server:
                del self._at[device_id]
                self._reports.left_elsewhere(device_id)
            return
        row = msgspec.json.decode(raw, type=DeviceRow)
        if row.generation < known or self.on_newer(device_id, row.generation):
            return
        self._at[device_id] = (server, row.generation)
        self._reports.take(device_id, row)
