"""Configuration of an engine, and the parts of its answers that we read."""

from typing import Any, Literal

import msgspec

from quartet.sync.protocol import Versioning

# Part of the names of conflict copies.
CONFLICT_MARK = ".sync-conflict-"

FolderType = Literal["sendreceive", "sendonly", "receiveonly", "receiveencrypted"]


class EnginePeer(msgspec.Struct, frozen=True):
    engine_id: str
    name: str = ""
    # `dynamic` means that the peer dials us.
    addresses: tuple[str, ...] = ("dynamic",)
    paused: bool = False
    # KiB per second, 0 means unlimited; None leaves the current value.
    send_kib: int | None = None
    receive_kib: int | None = None


class EngineFolder(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    label: str
    path: str
    type: FolderType = "sendreceive"
    peers: list[str] = []
    versioning: Versioning | None = None
    # Called instead of `versioning` with each file before it is deleted or replaced.
    archive_command: str = ""
    # True if names that differ only in their case are different files; None leaves the current
    # value. Otherwise the engine lists the whole directory again for each file that it changes.
    case_sensitive: bool | None = None
    ignore_patterns: list[str] = []
    paused: bool = False
    # Encrypts the data sent to peers; it never leaves this machine.
    password: str = ""
    # Passwords for single peers, by engine id.
    passwords: dict[str, str] = {}

    def password_for(self, peer: str) -> str:
        return self.passwords.get(peer, self.password)


class EngineConfig(msgspec.Struct, frozen=True):
    """A complete configuration: peers and folders missing here are removed from the engine."""

    peers: list[EnginePeer] = []
    folders: list[EngineFolder] = []


class EngineAnswer(msgspec.Struct, frozen=True, rename="camel"):
    """Base of the engine's answers; unknown fields are ignored."""


class Listener(EngineAnswer, frozen=True):
    # Why the engine cannot listen at an address.
    error: str | None = None


class SystemStatus(EngineAnswer, frozen=True):
    my_id: str = msgspec.field(name="myID")
    # The listeners by their address.
    listeners: dict[str, Listener] = msgspec.field(name="connectionServiceStatus", default={})


class SystemVersion(EngineAnswer, frozen=True):
    version: str


class Ignores(EngineAnswer, frozen=True):
    error: str | None = None


class EngineCompletion(EngineAnswer, frozen=True):
    completion: float
    need_bytes: int = 0
    need_items: int = 0
    need_deletes: int = 0
    # 0 until the device's index has arrived; the other figures are meaningless before.
    sequence: int = 0

    @property
    def known(self) -> bool:
        return self.sequence > 0


class Summary(EngineAnswer, frozen=True):
    """The answer of `db/status`, which is also part of the FolderSummary event."""

    state: str = ""
    error: str = ""
    global_files: int = 0
    global_bytes: int = 0
    need_bytes: int = 0
    need_total_items: int = 0
    pull_errors: int = 0
    receive_only_total_items: int = 0
    local_files: int = 0


class PeerConnection(EngineAnswer, frozen=True):
    connected: bool
    client_version: str = ""
    # Differs between successive connections to the same device.
    started_at: str = ""
    in_bytes_total: int = 0
    out_bytes_total: int = 0


class Connections(EngineAnswer, frozen=True):
    connections: dict[str, PeerConnection]


class PendingPeer(EngineAnswer, frozen=True):
    """An unknown device that has tried to connect."""

    name: str = ""
    address: str = ""


class FileVersion(EngineAnswer, frozen=True):
    modified_by: str = ""


class FileInfo(EngineAnswer, frozen=True):
    newest: FileVersion = msgspec.field(name="global")


class NeededFile(EngineAnswer, frozen=True):
    """An item that the engine is about to change."""

    name: str
    deleted: bool = False
    size: int = 0
    # The first seven characters of the engine id of the device that changed it.
    modified_by: str = ""
    # As text, because other devices choose it and it may be no valid time.
    modified: str = ""
    type: str = ""


class NeededFiles(EngineAnswer, frozen=True):
    progress: list[NeededFile] | None = None
    queued: list[NeededFile] | None = None
    rest: list[NeededFile] | None = None


class RemoteNeededFiles(EngineAnswer, frozen=True):
    files: list[NeededFile] | None = None


class FailedFile(EngineAnswer, frozen=True):
    path: str
    error: str


class FailedFiles(EngineAnswer, frozen=True):
    errors: list[FailedFile] | None = None


class NamedFile(EngineAnswer, frozen=True):
    name: str
    deleted: bool = False


class LocalChanges(EngineAnswer, frozen=True):
    files: list[NamedFile] = []


class EngineEvent(EngineAnswer, frozen=True):
    id: int
    type: str
    data: Any = None


class DiskChange(EngineAnswer, frozen=True):
    """One item that a device changed, from the engine's disk events."""

    action: str
    path: str
    folder: str = ""
    # The first seven characters of the device's engine id.
    modified_by: str = ""
    type: str = "file"
