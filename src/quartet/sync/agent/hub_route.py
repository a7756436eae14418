"""Chooses how the engine reaches its hub: directly, or through the control server."""

import asyncio
import logging
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from msgspec.structs import replace

from quartet.kernel.errors import AppError
from quartet.sync.agent.tunnel import HubTunnel
from quartet.sync.engine import Engine, EnginePeer
from quartet.sync.engine.concurrency import run_until_first_exit
from quartet.sync.protocol import TunnelStatus, engine_id_of
from quartet.sync.protocol.limits import TUNNEL_REPORT_SECONDS

log = logging.getLogger("quartet.sync.agent")

PROBE_SECONDS = 5.0
# Delays between two checks: they begin short after every change and double up to the longest one
# of the situation.
FIRST_SECONDS = 2.0
CONNECTED_SECONDS = 10.0
TUNNELLED_SECONDS = 300.0
LOST_SECONDS = 60.0


class HubRoute:
    """Prefers a direct connection; uses a tunnel only while the hub cannot be reached directly."""

    def __init__(self, tunnel: HubTunnel, on_switch: Callable[[], None]) -> None:
        """`on_switch` applies the configuration again."""
        self._tunnel = tunnel
        self._on_switch = on_switch
        self._hub: EnginePeer | None = None
        self._tunnelled = False
        self._delay = FIRST_SECONDS
        self._wake = asyncio.Event()
        tunnel.on_end = self._restart_checks

    @property
    def status(self) -> TunnelStatus | None:
        return self._tunnel.status if self._tunnelled else None

    def routed(self, peers: Sequence[EnginePeer]) -> list[EnginePeer]:
        """Return the peers with the addresses that the engine is to dial; the first is the hub."""
        hub = peers[0] if peers else None
        if hub != self._hub:
            self._hub, self._tunnelled = hub, False
            self._restart_checks()
        if hub is None or not self._tunnelled:
            return list(peers)
        return [replace(hub, addresses=(self._tunnel.address,)), *peers[1:]]

    async def run(self, engine: Engine, on_status: Callable[[], None]) -> None:
        async with self._tunnel.listening():
            await run_until_first_exit(self._check_often(engine), self._report(on_status))

    async def _report(self, on_status: Callable[[], None]) -> None:
        before = None
        while True:
            if self.status != before:
                before = self.status
                on_status()
            await asyncio.sleep(TUNNEL_REPORT_SECONDS)

    async def _check_often(self, engine: Engine) -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), self._delay)
            if self._wake.is_set():
                # The engine dials at once after a change; most often nothing else is needed.
                self._wake.clear()
                self._delay = FIRST_SECONDS
                continue
            with suppress(AppError):
                most = await self._check(engine)
                self._delay = min(self._delay * 2, most)

    def _restart_checks(self) -> None:
        self._wake.set()

    async def _check(self, engine: Engine) -> float:
        """Choose the way to the hub; return the longest delay until the next check."""
        hub = self._hub
        if hub is None:
            return CONNECTED_SECONDS
        connected = await engine.is_connected(hub.engine_id)
        if connected and not self._tunnelled:
            return CONNECTED_SECONDS
        direct = await answers_directly(hub)
        tunnelled = not direct and (self._tunnelled or await self._tunnel.works())
        if hub == self._hub and tunnelled != self._tunnelled:
            await self._switch(tunnelled)
        elif not connected:
            engine.redial(hub.engine_id)
        return TUNNELLED_SECONDS if connected else LOST_SECONDS

    async def _switch(self, tunnelled: bool) -> None:
        self._tunnelled = tunnelled
        way = "through the control server" if tunnelled else "directly"
        log.info("the engine connects to its hub %s", way)
        self._on_switch()
        if not tunnelled:
            await self._tunnel.close_connections()


async def answers_directly(hub: EnginePeer) -> bool:
    """Return True if the hub answers at one of its addresses with its own certificate."""
    for address in hub.addresses:
        with suppress(OSError, TimeoutError, ValueError):
            if await _engine_at(address) == hub.engine_id:
                return True
    return False


async def _engine_at(address: str) -> str | None:
    place = urlsplit(address)
    # The id of an engine is derived from its certificate, which no authority signs.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    async with asyncio.timeout(PROBE_SECONDS):
        _, writer = await asyncio.open_connection(place.hostname, place.port, ssl=context)
    try:
        certificate = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        return engine_id_of(certificate) if certificate else None
    finally:
        # The end of TLS would wait for an answer.
        writer.transport.abort()
