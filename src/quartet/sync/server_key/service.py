import logging
import time
from collections.abc import Callable
from itertools import pairwise

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from quartet.kernel.db import Database, Tx
from quartet.kernel.events import Signal
from quartet.sync.protocol import (
    Challenge,
    KeyRotation,
    SignedMessage,
    SignedState,
    challenge_payload,
    encode,
    server_fingerprint,
    sign_rotation,
    state_payload,
)
from quartet.sync.server_key import store
from quartet.sync.server_key.types import ShownServerKey, StoredKey

log = logging.getLogger("quartet.sync.server_key")

# Tells all servers on the same database about a new key.
TOPIC = "sync-server-key"


class ServerKeys:
    """The server's key. Agents pin it when they join and obey only states signed with it."""

    def __init__(self, db: Database, server_id: str) -> None:
        self._db = db
        # Called after the key was replaced.
        self.on_change: Callable[[], None] = lambda: None
        self.server_id = server_id
        self._keys: list[StoredKey] = []
        self._use(db.write_sync(_first_key))

    def _use(self, keys: list[StoredKey]) -> None:
        private = [Ed25519PrivateKey.from_private_bytes(each.private_key) for each in keys]
        self._keys = keys
        self._key = private[-1]
        self.public_key = self._key.public_key().public_bytes_raw()
        self.fingerprint = server_fingerprint(self.public_key)
        self._rotations: list[KeyRotation] = [
            sign_rotation(old, self.server_id, new.public_key().public_bytes_raw())
            for old, new in pairwise(private)
        ]

    def shown(self) -> ShownServerKey:
        return ShownServerKey(self.fingerprint, self._keys[-1].created_at)

    def prove(self, challenge: Challenge, agent_nonce: bytes) -> Challenge:
        """Add the key and its signature, which an agent checks before it says anything."""
        named = replace(challenge, server_key=self.public_key, rotations=self._rotations)
        return replace(named, signature=self._key.sign(challenge_payload(named, agent_nonce)))

    def sign(self, device_key: bytes, message: SignedMessage) -> SignedState:
        text = encode(message)
        return SignedState(text, self._key.sign(state_payload(device_key, text)))

    async def rotate(self) -> ShownServerKey:
        """Replace the key; agents follow the new one because the old one signed it."""
        await self._db.write(_next_key)
        await self.reload()
        log.info("the server's key was replaced, fingerprint %s", self.fingerprint)
        return self.shown()

    async def reload(self) -> None:
        self._use(await self._db.read(store.load_all))
        self.on_change()


def _first_key(tx: Tx) -> list[StoredKey]:
    # Two servers may start at the same time.
    tx.lock("sync server key")
    if not store.load_all(tx.conn):
        if store.last_number(tx.conn):
            log.error(
                "the server's key cannot be decrypted; with a new one, devices must join again"
            )
        store.add(tx.conn, _new_key())
    return store.load_all(tx.conn)


def _next_key(tx: Tx) -> None:
    tx.lock("sync server key")
    store.add(tx.conn, _new_key())
    tx.emit(Signal(TOPIC, ""))


def _new_key() -> StoredKey:
    return StoredKey(Ed25519PrivateKey.generate().private_bytes_raw(), int(time.time()))
