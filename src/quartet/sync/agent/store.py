"""The agent's files. Only its user can read them, and writes are atomic."""

import os
from pathlib import Path
from typing import TypeVar

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from quartet.sync.agent.errors import AgentError
from quartet.sync.protocol import Trust

T = TypeVar("T")

KEPT_EPOCHS = 20
KEPT_REQUESTS = 100


class JoinedServer(msgspec.Struct, frozen=True, rename="camel"):
    """The server this agent belongs to."""

    server: str
    # The server's identity, pinned at the first contact.
    server_id: str | None = None
    # The server's key; only states signed with it are followed.
    server_key: bytes | None = None
    trust: Trust = "first_contact"
    # The pairing code, until the server has accepted it. It contains the fingerprint of the key.
    code: str | None = None
    # Folders below which the server may create folders.
    allow: tuple[str, ...] = ()
    engine: str | None = None


class AcceptedState(msgspec.Struct, frozen=True):
    """The newest state the agent has accepted; older ones are refused to prevent replays."""

    epoch: str = ""
    revision: int = 0
    # The epochs before the current one.
    past: tuple[str, ...] = ()


class Store:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder = folder

    def joined(self) -> JoinedServer:
        found = self._read("agent.json", JoinedServer)
        if found is None:
            raise AgentError("not joined to a server yet; run `quartet agent join` first")
        return found

    def join(self, joined: JoinedServer) -> None:
        """Save the server; forget the accepted state if it is a different server."""
        before = self._read("agent.json", JoinedServer)
        if before is not None and joined.server_id is None and before.server == joined.server:
            # The server was not reachable, so what is known about it stays pinned.
            joined = msgspec.structs.replace(
                joined,
                server_id=before.server_id,
                server_key=before.server_key,
                trust=before.trust,
            )
        if before is not None and before.server_id != joined.server_id:
            (self.folder / "state.json").unlink(missing_ok=True)
        self._write("agent.json", msgspec.json.encode(joined))

    def accepted_state(self) -> AcceptedState:
        return self._read("state.json", AcceptedState) or AcceptedState()

    def save_accepted_state(self, state: AcceptedState) -> None:
        self._write("state.json", msgspec.json.encode(state))

    def passwords(self) -> dict[str, str]:
        """Return the passwords of encrypted folders by engine folder id; they never leave the
        device.
        """
        return self._read("passwords.json", dict[str, str]) or {}

    def set_password(self, folder: str, password: str) -> None:
        self._write("passwords.json", msgspec.json.encode({**self.passwords(), folder: password}))

    def repaired(self) -> dict[str, list[int]]:
        """Return the ids of completed repair requests by engine folder id."""
        # Older agents stored only the last id, not a list.
        found = self._read("repaired.json", dict[str, int | list[int]]) or {}
        return {id: [each] if isinstance(each, int) else each for id, each in found.items()}

    def repair(self, folder: str, request_id: int) -> None:
        """Remember several ids: a server restored from a backup repeats its old requests."""
        done = self.repaired()
        done[folder] = [*done.get(folder, []), request_id][-KEPT_REQUESTS:]
        self._write("repaired.json", msgspec.json.encode(done))

    def key(self) -> Ed25519PrivateKey:
        """Return the agent's key; create it on first use."""
        path = self.folder / "key"
        if path.exists():
            return Ed25519PrivateKey.from_private_bytes(path.read_bytes())
        key = Ed25519PrivateKey.generate()
        self._write("key", key.private_bytes_raw())
        return key

    def _read(self, name: str, kind: type[T]) -> T | None:
        try:
            return msgspec.json.decode((self.folder / name).read_bytes(), type=kind)
        except FileNotFoundError:
            return None
        except msgspec.DecodeError as error:
            raise AgentError(f"{self.folder / name} cannot be read: {error}") from error

    def _write(self, name: str, content: bytes) -> None:
        part = self.folder / f"{name}.part"
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(self.folder / name)


def newer(seen: AcceptedState, epoch: str, revision: int) -> AcceptedState | None:
    """Return the state to remember, or None if the given one is outdated and must be refused."""
    if epoch == seen.epoch:
        return (
            msgspec.structs.replace(seen, revision=revision) if revision >= seen.revision else None
        )
    if epoch in seen.past:
        return None
    past = (*seen.past, seen.epoch)[-KEPT_EPOCHS:] if seen.epoch else ()
    return AcceptedState(epoch, revision, past)
