"""How fast the hub receives from and sends to each device."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.config.types.revisions import Config
from quartet.sync.engine import Engine
from quartet.sync.engine.types import PeerConnection
from quartet.sync.hub.local import LocalHub

MEASURE_SECONDS = 2.0
# The label of the sum over all devices.
ALL = ""


class Rates(NamedTuple):
    """In bytes per second."""

    received: float
    sent: float


class TransferRates:
    """The current rates by device id; `ALL` is their sum."""

    def __init__(self, hub: LocalHub, config: Callable[[], Config]) -> None:
        self._hub = hub
        self._config = config
        self._before: Mapping[str, PeerConnection] = {}
        self._at = 0.0
        self._rates: dict[str, Rates] = {}

    def received(self) -> dict[str, float]:
        return {label: each.received for label, each in self._rates.items()}

    def sent(self) -> dict[str, float]:
        return {label: each.sent for label, each in self._rates.items()}

    def missing_files(self) -> int:
        """Return how many files the hub lacks."""
        engine = self._engine()
        return sum(status.need_files for status in engine.statuses.values()) if engine else 0

    async def measure(self, *, watched: bool) -> None:
        """Ask the engine while data is missing somewhere or a browser is open."""
        engine = self._engine()
        connections: Mapping[str, PeerConnection] = {}
        if engine and (watched or _some_lack_data(engine)):
            # An engine that does not answer is reported by its own task.
            with suppress(AppError):
                connections = (await engine.rest.connections()).connections
        self.update(connections, time.monotonic())

    def update(self, connections: Mapping[str, PeerConnection], now: float) -> None:
        devices = self._config().device_id_by_engine_id
        # Devices that are gone have a rate of zero until the next start.
        rates = dict.fromkeys(self._rates, Rates(0, 0))
        for peer, each in connections.items():
            if peer in devices and (before := self._before.get(peer)):
                rates[str(devices[peer])] = _rates(before, each, now - self._at)
        rates.pop(ALL, None)
        rates[ALL] = Rates(
            sum(each.received for each in rates.values()), sum(each.sent for each in rates.values())
        )
        self._rates, self._before, self._at = rates, connections, now

    def _engine(self) -> Engine | None:
        try:
            return self._hub.engine
        except AppError:
            return None


def _some_lack_data(engine: Engine) -> bool:
    return any(status.need_bytes for status in engine.statuses.values()) or any(
        each.need_bytes for found in engine.completions.values() for each in found.values()
    )


def _rates(before: PeerConnection, now: PeerConnection, seconds: float) -> Rates:
    """The engine counts from zero again for a new connection."""
    return Rates(
        max(now.in_bytes_total - before.in_bytes_total, 0) / seconds,
        max(now.out_bytes_total - before.out_bytes_total, 0) / seconds,
    )


def transfer_rates_task(rates: TransferRates, watched: Callable[[], bool]) -> BackgroundTask:
    async def run() -> None:
        while True:
            await rates.measure(watched=watched())
            await asyncio.sleep(MEASURE_SECONDS)

    return BackgroundTask("transfer-rates", run)
