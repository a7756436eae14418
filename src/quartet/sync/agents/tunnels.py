"""Connects engines to their hub through this server, where the hub's port is unreachable."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from quartet.kernel.metrics import Gauge
from quartet.sync.agents.handshake import Handshake
from quartet.sync.agents.pairing.types import AgentRejection
from quartet.sync.agents.types import Disconnected, Limits, TunnelSocket
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.revisions import Config
from quartet.sync.engine.concurrency import run_until_first_exit
from quartet.sync.hub.location import HubLocator
from quartet.sync.piping import CarriedBytes, carry, close
from quartet.sync.protocol import Welcome, encode

log = logging.getLogger("quartet.sync.agents")

DIAL_SECONDS = 5.0


class Tunnels:
    """All open tunnels.

    A tunnel leads only to the hub of its device. The engines encrypt and authenticate their
    connection end to end, so this server sees no content.
    """

    def __init__(
        self, handshake: Handshake, revisions: Revisions, hub: HubLocator, limits: Limits
    ) -> None:
        self._handshake = handshake
        self._revisions = revisions
        self._hub = hub
        self._limits = limits
        # By device: what ends each of its tunnels.
        self._open: dict[int, list[asyncio.Event]] = {}
        # Sent to devices and received from them since the start.
        self.totals = CarriedBytes()
        revisions.listeners.append(self._on_revision)

    def __len__(self) -> int:
        return sum(map(len, self._open.values()))

    async def serve(self, socket: TunnelSocket) -> None:
        """Handle one socket from the challenge to its end."""
        with suppress(Disconnected):
            try:
                device_id = await self._handshake.identify(socket)
                with self._place(device_id) as ended:
                    await self._connect(socket, device_id, ended)
            except AgentRejection as rejection:
                await socket.send(encode(rejection.rejected))
            except OSError as error:
                log.debug("tunnel closed: %s", error)
            await socket.close()

    @contextmanager
    def _place(self, device_id: int) -> Iterator[asyncio.Event]:
        mine = self._open.setdefault(device_id, [])
        try:
            if len(mine) >= self._limits.tunnels_per_device or len(self) >= self._limits.tunnels:
                log.warning("device %d: too many tunnels", device_id)
                raise AgentRejection("too_many_tunnels")
            ended = asyncio.Event()
            mine.append(ended)
            try:
                yield ended
            finally:
                mine.remove(ended)
        finally:
            if not mine:
                self._open.pop(device_id, None)

    async def _connect(self, socket: TunnelSocket, device_id: int, ended: asyncio.Event) -> None:
        reader, writer = await self._dial(device_id)
        try:
            await socket.send(encode(Welcome(device_id)))
            log.debug("device %d: tunnel opened", device_id)
            await run_until_first_exit(
                carry(reader, writer, socket, self.totals, self._limits.tunnel_idle_seconds),
                _wait(ended),
            )
        finally:
            await close(writer)
            log.debug("device %d: tunnel closed", device_id)

    async def _dial(self, device_id: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        device = self._revisions.current.devices.get(device_id)
        place = self._hub.dialled(device.hub) if device is not None else None
        if place is None:
            raise AgentRejection("hub_unreachable")
        try:
            async with asyncio.timeout(DIAL_SECONDS):
                return await asyncio.open_connection(*place)
        except (OSError, TimeoutError):
            raise AgentRejection("hub_unreachable") from None

    def _on_revision(self, config: Config) -> None:
        """Close the tunnels of blocked and removed devices at once."""
        for device_id, tunnels in self._open.items():
            device = config.devices.get(device_id)
            if device is None or not device.approved:
                for ended in tunnels:
                    ended.set()


def tunnel_gauges(tunnels: Tunnels) -> list[Gauge]:
    def carried() -> dict[str, float]:
        return {"sent": tunnels.totals.sent, "received": tunnels.totals.received}

    return [
        Gauge("quartet_sync_tunnels", "Open tunnels to hubs", lambda: len(tunnels)),
        Gauge("quartet_sync_tunnel_bytes", "Bytes carried by tunnels since the start", carried),
    ]


async def _wait(ended: asyncio.Event) -> None:
    await ended.wait()
