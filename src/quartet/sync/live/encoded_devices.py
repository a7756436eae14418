"""Keeps the devices of the overview as JSON, because most of thousands do not change between two
requests.
"""

import asyncio
from collections.abc import Callable

import msgspec

from quartet.kernel.batches import in_batches
from quartet.sync.config.types.devices import Device
from quartet.sync.config.types.revisions import Config
from quartet.sync.live.types import ShownDevice

# Yield to the event loop after building this many devices, so that a page that shows thousands does
# not delay all other requests. This takes about ten milliseconds. The loop then serves others for a
# few while thousands of agents reconnect: with much smaller parts the page would mostly wait.
YIELD_EVERY = 1000


class EncodedDevices:
    def __init__(self, show: Callable[[Device], ShownDevice]) -> None:
        self._show = show
        self._encoder = msgspec.json.Encoder()
        self._config = Config(0)
        # In the order of the configuration.
        self._found: dict[int, bytes] = {}
        self._stale: set[int] = set()
        # These change without being touched: the hub reports what is known about devices without an
        # agent, and a schedule may change the limits at any time.
        self._changing: list[int] = []

    def reset(self, config: Config) -> None:
        """Take over the devices of a configuration; those that it does not change stay encoded."""
        before, known = self._config.devices, self._found
        self._config = config
        self._found = {id: known.get(id, b"") for id in config.devices}
        changed = {id for id, device in config.devices.items() if before.get(id) != device}
        self._stale = self._stale & config.devices.keys() | changed
        self._changing = [
            device.id
            for device in config.devices.values()
            if device.agentless or device.traffic.schedule
        ]

    def touch(self, device_id: int) -> None:
        self._stale.add(device_id)

    async def json(self) -> bytes:
        """Return the devices as a JSON array."""
        for part in in_batches(list(self._stale), YIELD_EVERY):
            self._refresh(part)
            await asyncio.sleep(0)
        # Those that have changed since.
        self._refresh([*self._stale, *self._changing])
        return b"[%b]" % b",".join(self._found.values())

    def _refresh(self, device_ids: list[int]) -> None:
        self._stale.difference_update(device_ids)
        for id in device_ids:
            device = self._config.devices.get(id)
            # It may have been removed a moment ago.
            if device is not None:
                self._found[id] = self._encoder.encode(self._show(device))
