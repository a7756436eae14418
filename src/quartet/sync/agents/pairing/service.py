import hashlib
import itertools
import time
from collections.abc import Callable

from quartet.kernel.auth import Throttle
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.sync.activity.service import Activity
from quartet.sync.agents.pairing import store
from quartet.sync.agents.pairing.types import AgentRejection, Approval, Enrollment, EnrollmentState
from quartet.sync.agents.pairing.waiting import WaitingAgent, WaitingList
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.store import devices
from quartet.sync.config.types.devices import NewDevice
from quartet.sync.config.types.revisions import ChangeSummary, Config
from quartet.sync.names import clean_name
from quartet.sync.protocol import Hello, new_code, split_code
from quartet.sync.protocol.limits import PAIRING_CODE_SECONDS
from quartet.sync.server_key.service import ServerKeys

# Allowed wrong codes per address and minute.
MAX_WRONG_CODES = 10


class Pairing:
    """Pairs new devices and admits known ones."""

    def __init__(
        self,
        db: Database,
        revisions: Revisions,
        activity: Activity,
        waiting: WaitingList,
        server_keys: ServerKeys,
        *,
        lan_pairing: bool,
        throttle: Throttle,
        is_hub: Callable[[str], bool],
    ) -> None:
        self._db = db
        self._revisions = revisions
        self._activity = activity
        self._server_keys = server_keys
        self._lan_pairing = lan_pairing
        self._throttle = throttle
        self.waiting = waiting
        self._is_hub = is_hub

    async def enroll(self, name: str | None, server: str) -> Enrollment:
        """Create a pairing code; `server` is the URL at which the device reaches this server."""
        code, now = new_code(self._server_keys.public_key), int(time.time())
        expires_at = now + PAIRING_CODE_SECONDS

        def work(tx: Tx) -> None:
            store.forget(tx.conn, now - 24 * 3600)
            store.add(tx.conn, self._hash(code), clean_name(name or "") or None, expires_at)

        await self._db.write(work)
        command = f"quartet agent join --server {server} {code}"
        link = f"{server.rstrip('/')}/join#{code}"
        return Enrollment(code, expires_at, command, link, self._server_keys.fingerprint)

    async def state(self, code: str) -> EnrollmentState:
        found = await self._db.read(store.find, self._hash(code))
        if found is None:
            raise AppError(404, "code_not_found")
        if found.used_at is not None:
            return EnrollmentState("used", found.device_id)
        return EnrollmentState("pending" if found.expires_at > time.time() else "expired")

    def _hash(self, code: str) -> str:
        return _hash_code(self._revisions.server_id, code)

    async def catch_up(self) -> None:
        await self._revisions.catch_up()

    def knows(self, hello: Hello) -> bool:
        """Return True if this is a known device with this engine."""
        device = self._revisions.current.by_key.get(hello.public_key)
        return device is not None and device.engine_id == hello.engine_id

    async def admit(self, hello: Hello, peer: str) -> int | WaitingAgent:
        """Return the device id of a verified agent, or its entry in the waiting list."""
        device = self._revisions.current.by_key.get(hello.public_key)
        if device is not None and not device.approved:
            # A new pairing code does not unblock a device.
            raise AgentRejection("blocked")
        if device is not None and device.engine_id == hello.engine_id and hello.code is None:
            return device.id
        if device is None or device.engine_id != hello.engine_id:
            self._check_engine(hello)
        if device is not None:
            return await self._readmit(device.id, hello)
        if hello.code is not None:
            return await self._redeem(hello, hello.code, peer)
        if not self._lan_pairing:
            raise AgentRejection("pairing_off")
        return self.waiting.add(hello, peer)

    def _check_engine(self, hello: Hello) -> None:
        """Reject an engine id that belongs to another device or to a hub."""
        taken = self._revisions.current.device_id_by_engine_id
        if hello.engine_id in taken or self._is_hub(hello.engine_id):
            raise AgentRejection("engine_id_taken")

    async def _readmit(self, device_id: int, hello: Hello) -> int:
        """Admit a known device that joins again: its code is used up, and its engine may be new."""
        if hello.code is not None:
            await self._db.write(self._use_again, hello.code, device_id)
        device = self._revisions.current.devices[device_id]
        if device.engine_id == hello.engine_id:
            return device_id

        def work(tx: Tx, _before: Config) -> None:
            if devices.id_by_engine_id(tx.conn, hello.engine_id) is not None:
                raise AgentRejection("engine_id_taken")
            devices.change(tx.conn, device_id, {"syncthing_id": hello.engine_id})

        what = ChangeSummary("device_engine_changed", {"device": device.name})
        await self._revisions.change(device.name, what, work)
        return device_id

    def _use_again(self, tx: Tx, code: str, device_id: int) -> None:
        if store.use(tx.conn, self._hash(code), int(time.time())):
            store.used_by(tx.conn, self._hash(code), device_id)

    async def _redeem(self, hello: Hello, code: str, peer: str) -> int:
        try:
            await self._throttle.attempt(peer)
        except AppError as error:
            raise AgentRejection("too_many_attempts", **error.inputs) from None
        code_hash, now = self._hash(code), int(time.time())
        found = await self._db.read(store.find, code_hash)
        if found is None or found.used_at is not None or found.expires_at <= now:
            raise AgentRejection("code_invalid")
        device = self._new_device(hello, found.name)

        def work(tx: Tx, _before: Config) -> int:
            if not store.use(tx.conn, code_hash, now):
                raise AgentRejection("code_invalid")
            device_id = _add(tx, device, now)
            store.used_by(tx.conn, code_hash, device_id)
            return device_id

        device_id = await self._pair(device, device.name, work)
        await self._throttle.passed(peer)
        return device_id

    async def approve(self, user: str, fingerprint: str, given: Approval) -> int:
        agent = self._waiting_agent(fingerprint, given.public_key)
        device = self._new_device(agent.hello, clean_name(given.name or "") or None)
        try:
            device_id = await self._pair(
                device, user, lambda tx, _before: _add(tx, device, int(time.time()))
            )
        except AgentRejection as rejection:
            agent.refuse(rejection.rejected.code)
            raise AppError(409, "engine_id_taken") from None
        finally:
            self.waiting.remove(agent)
        agent.accept(device_id)
        return device_id

    async def reject(self, fingerprint: str) -> None:
        found = self.waiting.find(fingerprint)
        if not found:
            raise AppError(404, "waiting_not_found", fingerprint=fingerprint)
        for agent in found:
            self.waiting.reject(agent)

    def _waiting_agent(self, fingerprint: str, public_key: bytes) -> WaitingAgent:
        for agent in self.waiting.find(fingerprint):
            if agent.hello.public_key == public_key:
                return agent
        raise AppError(404, "waiting_not_found", fingerprint=fingerprint)

    def _new_device(self, hello: Hello, name: str | None) -> NewDevice:
        """Return the device, with a number behind its host name if another device has that name."""
        taken = {each.name for each in self._revisions.current.devices.values()}
        host = clean_name(hello.host_name, hello.engine_id[:7])
        numbered = (f"{host} {number}" for number in itertools.count(2))
        free = next(each for each in itertools.chain([host], numbered) if each not in taken)
        return NewDevice(
            name=name or free,
            os=hello.os,
            public_key=hello.public_key,
            engine_id=hello.engine_id,
            agent_version=clean_name(hello.agent_version),
            engine_version=clean_name(hello.engine_version),
        )

    async def _pair(self, device: NewDevice, user: str, work: Callable[[Tx, Config], int]) -> int:
        what = ChangeSummary("device_paired", {"device": device.name})
        device_id = await self._revisions.change(user, what, work)
        self._activity.record("paired", "paired", device_id=device_id, device=device.name)
        return device_id


def _add(tx: Tx, device: NewDevice, now: int) -> int:
    """Add the device; the revision lock prevents concurrent additions."""
    known = devices.id_by_public_key(tx.conn, device.public_key)
    if known is not None:
        return known
    if devices.id_by_engine_id(tx.conn, device.engine_id) is not None:
        raise AgentRejection("engine_id_taken")
    return devices.add(tx.conn, device, now)


def _hash_code(server_id: str, code: str) -> str:
    """Hash the secret of a pairing code; it has 60 bits, so that no salt is needed."""
    secret, _fingerprint = split_code(code)
    return hashlib.sha256(f"{server_id}:{secret}".encode()).hexdigest()
