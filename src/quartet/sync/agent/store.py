"""The agent's files: only its user can read them, and each is replaced as a whole."""

import os
from pathlib import Path
from typing import TypeVar

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from quartet.sync.agent.errors import AgentError

T = TypeVar("T")

EPOCHS = 20
WISHES = 100


class Joined(msgspec.Struct, frozen=True, rename="camel"):
    """Which server this agent belongs to."""

    server: str
    # The server's identity; known from the first contact on, and then no other is believed.
    server_id: str | None = None
    # Until the server has let us in.
    code: str | None = None
    # Folders may lie beneath these.
    allow: tuple[str, ...] = ()
    engine: str | None = None


class Seen(msgspec.Struct, frozen=True):
    """The newest state we know, so that nobody can bring back an old one."""

    epoch: str = ""
    revision: int = 0
    # Epochs that are over.
    past: tuple[str, ...] = ()


class Store:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder = folder

    def joined(self) -> Joined:
        found = self._read("agent.json", Joined)
        if found is None:
            raise AgentError("no server yet: run `quartet agent join` first")
        return found

    def join(self, joined: Joined) -> None:
        """Another server has other revisions; the same one has not."""
        before = self._read("agent.json", Joined)
        if before is not None and joined.server_id is None and before.server == joined.server:
            joined = msgspec.structs.replace(joined, server_id=before.server_id)
        if before is not None and before.server_id != joined.server_id:
            (self.folder / "state.json").unlink(missing_ok=True)
        self._write("agent.json", msgspec.json.encode(joined))

    def seen(self) -> Seen:
        return self._read("state.json", Seen) or Seen()

    def see(self, seen: Seen) -> None:
        self._write("state.json", msgspec.json.encode(seen))

    def passwords(self) -> dict[str, str]:
        """Of encrypted folders, by engine folder id; the server never learns them."""
        return self._read("passwords.json", dict[str, str]) or {}

    def set_password(self, folder: str, password: str) -> None:
        self._write("passwords.json", msgspec.json.encode({**self.passwords(), folder: password}))

    def repaired(self) -> dict[str, list[int]]:
        """The wishes that were fulfilled, by engine folder id."""
        # Earlier agents kept the last one only, and not in a list.
        found = self._read("repaired.json", dict[str, int | list[int]]) or {}
        return {id: [each] if isinstance(each, int) else each for id, each in found.items()}

    def repair(self, folder: str, wish: int) -> None:
        """A server that is set back to a backup asks for what it had asked for then."""
        done = self.repaired()
        done[folder] = [*done.get(folder, []), wish][-WISHES:]
        self._write("repaired.json", msgspec.json.encode(done))

    def key(self) -> Ed25519PrivateKey:
        """Made at first use."""
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


def newer(seen: Seen, epoch: str, revision: int) -> Seen | None:
    """What to remember when this state is taken; `None` when it must not be."""
    if epoch == seen.epoch:
        return (
            msgspec.structs.replace(seen, revision=revision) if revision >= seen.revision else None
        )
    if epoch in seen.past:
        return None
    past = (*seen.past, seen.epoch)[-EPOCHS:] if seen.epoch else ()
    return Seen(epoch, revision, past)
