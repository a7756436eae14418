"""What an engine shall be set to, and what it tells about itself."""

from typing import Any, Literal

import msgspec

from quartet.sync.protocol import Versioning

FolderType = Literal["sendreceive", "sendonly", "receiveonly", "receiveencrypted"]


class EnginePeer(msgspec.Struct, frozen=True):
    engine_id: str
    name: str = ""
    # `dynamic` stands for: it dials us.
    addresses: tuple[str, ...] = ("dynamic",)
    paused: bool = False
    # In KiB per second, 0 is as fast as it goes; without a word it stays as it is.
    send_kib: int | None = None
    receive_kib: int | None = None


class EngineFolder(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    label: str
    path: str
    type: FolderType = "sendreceive"
    peers: list[str] = []
    versioning: Versioning | None = None
    ignore_patterns: list[str] = []
    # What peers get is encrypted with it; it never leaves this machine.
    password: str = ""


class EngineConfig(msgspec.Struct, frozen=True):
    """Complete: a peer or folder that is not in it is taken out of the engine."""

    peers: list[EnginePeer] = []
    folders: list[EngineFolder] = []


class Answer(msgspec.Struct, frozen=True, rename="camel"):
    """Part of an answer of the engine; other fields are left aside."""


class SystemStatus(Answer, frozen=True):
    my_id: str = msgspec.field(name="myID")


class SystemVersion(Answer, frozen=True):
    version: str


class Ignores(Answer, frozen=True):
    error: str | None = None


class Completion(Answer, frozen=True):
    completion: float
    need_bytes: int = 0
    need_items: int = 0
    need_deletes: int = 0
    # Zero until the index of the device has arrived; the other figures mean nothing then.
    sequence: int = 0

    @property
    def known(self) -> bool:
        return self.sequence > 0


class Summary(Answer, frozen=True):
    """`db/status`, and the same inside the event FolderSummary."""

    state: str = ""
    error: str = ""
    global_files: int = 0
    global_bytes: int = 0
    need_bytes: int = 0
    need_total_items: int = 0
    pull_errors: int = 0
    receive_only_total_items: int = 0


class Connection(Answer, frozen=True):
    connected: bool
    # Which of its connections this is.
    started_at: str = ""


class Connections(Answer, frozen=True):
    connections: dict[str, Connection]


class FileVersion(Answer, frozen=True):
    modified_by: str = ""


class FileInfo(Answer, frozen=True):
    newest: FileVersion = msgspec.field(name="global")


class Named(Answer, frozen=True):
    name: str


class LocalChanges(Answer, frozen=True):
    files: list[Named] = []


class Event(Answer, frozen=True):
    id: int
    type: str
    data: Any = None


class Change(Answer, frozen=True):
    """One item that a device changed, as the engine's disk events tell it."""

    action: str
    path: str
    folder: str = ""
    # The first seven characters of the engine id of the device.
    modified_by: str = ""
    type: str = "file"
