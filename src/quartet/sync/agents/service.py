import asyncio
import logging
from collections.abc import Callable

from quartet.sync.activity.service import Activity
from quartet.sync.agents.door import Door
from quartet.sync.agents.elsewhere import Elsewhere
from quartet.sync.agents.generations import Generations
from quartet.sync.agents.pairing.types import Refusal
from quartet.sync.agents.reports import Reports
from quartet.sync.agents.session import Session
from quartet.sync.agents.types import Gone, Limits, Line
from quartet.sync.config.desired import MAIN, device_state
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.revisions import Config
from quartet.sync.hub.location import HubPlace
from quartet.sync.protocol import (
    Applied,
    BadMessageError,
    Hello,
    Status,
    Welcome,
    decode_from_agent,
    encode,
    host_of,
)

log = logging.getLogger("quartet.sync.agents")

# After so many the event loop may do something else.
BREATH = 100


class Agents:
    """All agents that are connected."""

    def __init__(
        self,
        revisions: Revisions,
        door: Door,
        reports: Reports,
        activity: Activity,
        generations: Generations,
        elsewhere: Elsewhere,
        *,
        hub: HubPlace,
        limits: Limits,
    ) -> None:
        self._revisions = revisions
        self._door = door
        self._reports = reports
        self._activity = activity
        self._generations = generations
        self._elsewhere = elsewhere
        elsewhere.on_newer = self._newer_elsewhere
        self._hub = hub
        self._limits = limits
        self._sessions: dict[int, Session] = {}
        self.on_change: Callable[[int], None] = lambda _device_id: None
        revisions.listeners.append(self._revised)

    def online(self) -> list[int]:
        return sorted(self._sessions.keys() | self._elsewhere.devices())

    def is_online(self, device_id: int) -> bool:
        return device_id in self._sessions or device_id in self._elsewhere.devices()

    def show(self, device_id: int) -> None:
        """To the other servers."""
        session = self._sessions.get(device_id)
        if session is not None:
            self._elsewhere.show(device_id, session.generation)

    async def serve(self, line: Line) -> None:
        """One socket, from the challenge to its end."""
        try:
            device_id, hello = await self._door.pass_through(line)
            generation = await self._generations.next(device_id)
            session = self._enter(device_id, generation, hello, line)
        except Gone:
            return
        except Refusal as refusal:
            await _turn_away(line, refusal)
            return
        del hello
        try:
            await self._talk(session, line)
        except Gone:
            pass
        except Refusal as refusal:
            log.info("device %d is cut off: %s", device_id, refusal.rejected.code)
            await _turn_away(line, refusal)
        except asyncio.CancelledError:
            if not session.stuck:
                raise
        finally:
            session.close()
            self._leave(session)

    def _enter(self, device_id: int, generation: int | None, hello: Hello, line: Line) -> Session:
        device = self._revisions.current.devices.get(device_id)
        if device is None or not device.approved or generation is None:
            # Blocked or removed while it was let in.
            raise Refusal("blocked")
        self._revisions.heard_of(hello.epoch, hello.revision)
        owner = asyncio.current_task()
        assert owner is not None  # noqa: S101
        host = host_of(hello.address)
        session = Session(device_id, generation, line, host, self._limits, owner)
        self._replace(session, line.peer)
        self._sessions[device_id] = session
        self._reports.came(device_id, hello)
        self._elsewhere.show(device_id, generation)
        self._activity.record("connected", "connected", device_id=device_id, device=device.name)
        self.on_change(device_id)
        return session

    def _replace(self, session: Session, peer: str) -> None:
        """The newer one wins: whoever holds the old one must not lock the device out."""
        device_id = session.device_id
        before = self._sessions.get(device_id)
        newest = before.generation if before else self._elsewhere.generation(device_id)
        if newest > session.generation:
            raise Refusal("replaced")
        if before is not None:
            log.warning("device %d has come again from %s", device_id, peer)
            before.reject("replaced")
        self._elsewhere.came_here(device_id)

    def _newer_elsewhere(self, device_id: int, generation: int) -> bool:
        """Whether the one here is newer still."""
        session = self._sessions.get(device_id)
        if session is None or session.generation > generation:
            return session is not None
        log.warning("device %d has come again to another server", device_id)
        del self._sessions[device_id]
        self._elsewhere.hide(device_id)
        session.reject("replaced")
        return False

    def _leave(self, session: Session) -> None:
        if self._sessions.get(session.device_id) is not session:
            return
        del self._sessions[session.device_id]
        self._elsewhere.hide(session.device_id)
        self._reports.left(session.device_id)
        device = self._revisions.current.devices.get(session.device_id)
        if device is not None:
            self._activity.record(
                "disconnected", "disconnected", device_id=device.id, device=device.name
            )
        self.on_change(session.device_id)

    async def _talk(self, session: Session, line: Line) -> None:
        await line.send(encode(Welcome(session.device_id, self._status_interval())))
        self._offer(session, self._revisions.current)
        while True:
            try:
                message = decode_from_agent(await session.receive())
            except BadMessageError:
                raise Refusal("bad_message") from None
            self._take(session, message)

    def _take(self, session: Session, message: Applied | Status | Hello) -> None:
        match message:
            case Applied():
                # A late answer to what is long out of date says nothing.
                if session.answers(message.revision):
                    self._reports.applied(session.device_id, message, self._folders(session))
            case Status():
                self._reports.status(session.device_id, message, self._folders(session))
            case _:
                raise Refusal("bad_message")

    def _folders(self, session: Session) -> set[str]:
        return self._revisions.current.engine_folders(session.device_id)

    def _status_interval(self) -> float:
        crowded = len(self.online()) / self._limits.statuses_per_second
        return max(self._limits.status_seconds, round(crowded, 1))

    def _revised(self, config: Config) -> None:
        """Whoever is blocked or removed is cut off at once, not when the hub is ready."""
        self._reports.keep(config)
        for device_id, session in list(self._sessions.items()):
            device = config.devices.get(device_id)
            if device is None or not device.approved:
                session.reject("removed" if device is None else "blocked")
                self._leave(session)

    async def spread(self) -> None:
        """Tells every agent the configuration as it is now, and where the hub is."""
        self._hub.refresh()
        for number, session in enumerate(list(self._sessions.values()), 1):
            self._offer(session, self._revisions.current)
            if number % BREATH == 0:
                await asyncio.sleep(0)

    def _offer(self, session: Session, config: Config) -> None:
        device = config.devices.get(session.device_id)
        peer = self._hub.peer(session.host, device.hub if device else MAIN)
        session.offer(device_state(config, session.device_id, peer, self._revisions.epoch))

    def mark_online(self) -> None:
        """So that a crash loses little of when a device was last seen."""
        for device_id in self._sessions:
            self._reports.seen(device_id)


async def _turn_away(line: Line, refusal: Refusal) -> None:
    try:
        await line.send(encode(refusal.rejected))
        await line.close()
    except Gone:
        pass
