import asyncio
import logging
from collections.abc import Callable, Set
from functools import partial

from quartet.sync.activity.service import Activity
from quartet.sync.agents.connection_numbers import ConnectionNumbers
from quartet.sync.agents.handshake import Handshake
from quartet.sync.agents.pairing.types import AgentRejection
from quartet.sync.agents.questions import Questions
from quartet.sync.agents.remote_connections import RemoteConnections
from quartet.sync.agents.reports import Reports
from quartet.sync.agents.session import AgentSession
from quartet.sync.agents.types import AgentSocket, Disconnected, Limits
from quartet.sync.cluster.requests import Requests
from quartet.sync.config.desired import MAIN, device_state, need_not_wait
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.revisions import Config
from quartet.sync.hub.location import HubLocator
from quartet.sync.protocol import (
    Applied,
    BadMessageError,
    FromAgent,
    Hello,
    Inspected,
    Refused,
    Status,
    Welcome,
    decode_from_agent,
    encode,
    host_of,
)
from quartet.sync.server_key.service import ServerKeys

log = logging.getLogger("quartet.sync.agents")

# Yield to the event loop after this many agents.
YIELD_EVERY = 25


class Agents:
    """All connected agents."""

    def __init__(
        self,
        revisions: Revisions,
        handshake: Handshake,
        reports: Reports,
        activity: Activity,
        numbers: ConnectionNumbers,
        remote: RemoteConnections,
        server_keys: ServerKeys,
        servers: Requests,
        *,
        hub: HubLocator,
        limits: Limits,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        """`stopping` returns True when this server has begun to stop."""
        self._revisions = revisions
        self._handshake = handshake
        self._reports = reports
        self._activity = activity
        self._numbers = numbers
        self._remote = remote
        self._server_keys = server_keys
        remote.on_newer_connection = self._handle_newer_connection
        self._hub = hub
        self._limits = limits
        self._stopping = stopping
        self._sessions: dict[int, AgentSession] = {}
        self.questions = Questions(self._sessions.get, self.server_of, servers)
        self.on_change: Callable[[int], None] = lambda _device_id: None
        revisions.listeners.append(self._on_revision)

    def online(self) -> list[int]:
        return sorted(self._sessions.keys() | self._remote.devices())

    def is_online(self, device_id: int) -> bool:
        return device_id in self._sessions or device_id in self._remote.devices()

    def server_of(self, device_id: int) -> str | None:
        """Return the other server that the device is connected to."""
        return None if device_id in self._sessions else self._remote.server(device_id)

    def publish(self, device_id: int) -> None:
        """Publish the device's state to the other servers."""
        session = self._sessions.get(device_id)
        if session is not None:
            self._remote.publish(device_id, session.generation)

    async def serve(self, socket: AgentSocket) -> None:
        """Handle one socket from the challenge to its end."""
        try:
            device_id, hello = await self._handshake.run(socket)
            generation = await self._numbers.next(device_id)
            session = self._admit(device_id, generation, hello, socket)
        except Disconnected:
            return
        except AgentRejection as rejection:
            await _send_rejection(socket, rejection)
            return
        del hello
        try:
            await self._receive_messages(session, socket)
        except Disconnected:
            pass
        except AgentRejection as rejection:
            log.info("device %d disconnected: %s", device_id, rejection.rejected.code)
            await _send_rejection(socket, rejection)
        except asyncio.CancelledError:
            if not session.stuck:
                raise
        finally:
            session.close()
            self._remove(session)

    def _admit(
        self, device_id: int, generation: int | None, hello: Hello, socket: AgentSocket
    ) -> AgentSession:
        device = self._revisions.current.devices.get(device_id)
        if device is None or not device.approved or generation is None:
            # Blocked or removed during the handshake.
            raise AgentRejection("blocked")
        self._revisions.check_device_revision(hello.epoch, hello.revision)
        owner = asyncio.current_task()
        assert owner is not None  # noqa: S101
        host = host_of(hello.address)
        sign = partial(self._server_keys.sign, device.public_key) if socket.nonce else None
        session = AgentSession(device_id, generation, socket, host, self._limits, owner, sign)
        self._replace(session, socket.peer)
        self._sessions[device_id] = session
        self._reports.connected(device_id, hello)
        self._remote.publish(device_id, generation)
        self._activity.record("connected", "connected", device_id=device_id, device=device.name)
        log.info("device %d online: applied revision %d", device_id, hello.revision)
        self.on_change(device_id)
        return session

    def _replace(self, session: AgentSession, peer: str) -> None:
        """Replace an older connection, so that a stale or stolen one cannot lock the device out."""
        device_id = session.device_id
        before = self._sessions.get(device_id)
        newest = before.generation if before else self._remote.generation(device_id)
        if newest > session.generation:
            raise AgentRejection("replaced")
        if before is not None:
            log.warning(
                "device %d reconnected from %s, closing its older connection", device_id, peer
            )
            before.reject("replaced")
        self._remote.forget(device_id)

    def _handle_newer_connection(self, device_id: int, generation: int) -> bool:
        """Drop this server's connection if the other one is newer; return True if this one is
        newer.
        """
        session = self._sessions.get(device_id)
        if session is None or session.generation > generation:
            return session is not None
        log.warning(
            "device %d reconnected to another server, closing its connection here", device_id
        )
        del self._sessions[device_id]
        self._remote.withdraw(device_id)
        session.reject("replaced")
        return False

    def _remove(self, session: AgentSession) -> None:
        if self._sessions.get(session.device_id) is not session:
            return
        del self._sessions[session.device_id]
        self._remote.withdraw(session.device_id)
        if self._stopping():
            # It is this server that leaves. Recording this for each of thousands of devices would
            # delay the stop.
            return
        self._reports.disconnected(session.device_id)
        log.info("device %d offline", session.device_id)
        device = self._revisions.current.devices.get(session.device_id)
        if device is not None:
            self._activity.record(
                "disconnected", "disconnected", device_id=device.id, device=device.name
            )
        self.on_change(session.device_id)

    async def _receive_messages(self, session: AgentSession, socket: AgentSocket) -> None:
        await socket.send(encode(Welcome(session.device_id, self._status_interval())))
        self._send_state(session, self._revisions.current)
        while True:
            try:
                message = decode_from_agent(await session.receive())
            except BadMessageError:
                raise AgentRejection("bad_message") from None
            self._handle_message(session, message)

    def _handle_message(self, session: AgentSession, message: FromAgent) -> None:
        match message:
            case Applied():
                # Ignore late answers to outdated revisions.
                if session.answers(message.revision):
                    self._reports.applied(session.device_id, message, self._folders(session))
            case Status():
                self._reports.status(session.device_id, message, self._folders(session))
            case Inspected():
                self.questions.accept(session, message)
            case Refused():
                if (message.epoch, message.revision) == self._revisions.position:
                    self._reports.refused(session.device_id, message.code)
            case _:
                raise AgentRejection("bad_message")

    def _folders(self, session: AgentSession) -> set[str]:
        return self._revisions.current.engine_folders(session.device_id)

    def _status_interval(self) -> float:
        # Not `online`, which sorts all of them: this runs for each of thousands of new connections.
        count = len(self._sessions) + len(self._remote.devices())
        crowded = count / self._limits.statuses_per_second
        return max(self._limits.status_seconds, round(crowded, 1))

    def _on_revision(self, config: Config) -> None:
        """Disconnect blocked and removed devices at once, without waiting for the hub."""
        self._reports.prune(config)
        for device_id, session in list(self._sessions.items()):
            device = config.devices.get(device_id)
            if device is None or not device.approved:
                session.reject("removed" if device is None else "blocked")
                self._remove(session)

    async def send_early_states(self, applied: Config) -> set[AgentSession]:
        """Send the agents that need not wait for their hub their desired state; return them.

        `applied` is the last configuration that the hubs applied.
        """
        config = self._revisions.current
        return await self._send_states(
            lambda session: need_not_wait(config, applied, session.device_id)
        )

    async def send_desired_states(self, early: Set[AgentSession]) -> None:
        """Send all other agents their desired state."""
        await self._send_states(lambda session: session not in early)

    async def _send_states(self, chosen: Callable[[AgentSession], bool]) -> set[AgentSession]:
        """Send agents their desired state, including the current address of their hub."""
        self._hub.refresh()
        sent = set()
        for number, session in enumerate(list(self._sessions.values()), 1):
            if chosen(session):
                self._send_state(session, self._revisions.current)
                sent.add(session)
            if number % YIELD_EVERY == 0:
                await asyncio.sleep(0)
        return sent

    def _send_state(self, session: AgentSession, config: Config) -> None:
        device = config.devices.get(session.device_id)
        peer = self._hub.peer(session.host, device.hub if device else MAIN)
        state = device_state(config, session.device_id, peer, self._revisions.epoch)
        log.debug(
            "device %d: revision %d built with %d folders",
            session.device_id,
            state.revision,
            len(state.folders),
        )
        session.offer(state)

    def mark_online(self) -> None:
        """Update `last_seen` regularly, so that a crash loses little."""
        for device_id in self._sessions:
            self._reports.touch(device_id)


async def _send_rejection(socket: AgentSocket, rejection: AgentRejection) -> None:
    try:
        await socket.send(encode(rejection.rejected))
        await socket.close()
    except Disconnected:
        pass
