"""Messages between the server and the agent: JSON objects with a `type`."""

from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta

from quartet.sync.protocol.inspection import Inspect, Inspected
from quartet.sync.protocol.limits import (
    AGENT_MESSAGE_BYTES,
    FOLDERS_PER_DEVICE,
    HELLO_BYTES,
    LARGEST_NUMBER,
    SERVER_MESSAGE_BYTES,
    STATUS_SECONDS,
    VERSION_DAYS,
)
from quartet.sync.protocol.message_types import (
    Code,
    Count,
    EngineFolderId,
    EngineId,
    Inputs,
    Message,
    MessagePart,
    Version,
)

T = TypeVar("T")

Mode = Literal["both", "send", "receive"]
System = Literal["linux", "macos", "windows", "other"]
# The server's key was pinned because the pairing code contains its fingerprint, or because it was
# the first key that the agent saw at the server's address.
Trust = Literal["code", "first_contact"]
FolderState = Literal[
    "idle",
    "scanning",
    "scan-waiting",
    "sync-waiting",
    "sync-preparing",
    "syncing",
    "cleaning",
    "clean-waiting",
    "error",
    "paused",
    "stopped",
    "unknown",
]


class KeyRotation(MessagePart, frozen=True):
    """A new key of the server, signed with the previous one."""

    previous: bytes
    key: bytes
    signature: bytes


class Challenge(Message, frozen=True, tag="challenge"):
    nonce: bytes
    server: str
    protocol: int
    # The server's clock, so that an agent can detect that its own is wrong.
    time: int
    # The server's key and its signature, if the agent dialled with a nonce.
    server_key: bytes = b""
    signature: bytes = b""
    # All replacements of the key, oldest first.
    rotations: list[KeyRotation] = []


class Hello(Message, frozen=True, kw_only=True, tag="hello"):
    public_key: bytes
    # The host and port that the agent dialled. It prevents a malicious server from using the
    # signature to sign in to another one.
    address: Annotated[str, Meta(max_length=300)]
    host_name: Annotated[str, Meta(max_length=255)]
    os: System
    agent_version: Version
    engine_version: Version
    engine_id: EngineId
    signature: bytes
    code: Annotated[str, Meta(max_length=64)] | None = None
    # Proves that the engine belongs to the agent; required if the server has not seen this agent
    # with this engine.
    engine_certificate: Annotated[bytes, Meta(max_length=4096)] = b""
    engine_signature: Annotated[bytes, Meta(max_length=512)] = b""
    # The newest state the agent has accepted; a server with an older one was restored from a
    # backup.
    epoch: Annotated[str, Meta(max_length=64)] = ""
    revision: Count = 0
    # How the agent came to trust the server's key; empty if it does not know the key.
    trust: Trust | Literal[""] = ""
    # Seconds by which the agent's clock is ahead of the server's.
    clock_offset: Annotated[int, Meta(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)] = 0


class Welcome(Message, frozen=True, tag="welcome"):
    device_id: int
    # Seconds between two `status` messages; a busy server asks for a longer interval.
    status_interval: float = STATUS_SECONDS


class Versioning(MessagePart, frozen=True):
    type: Literal["staggered"] = "staggered"
    max_age_days: Annotated[int, Meta(ge=0, le=36500)] = VERSION_DAYS
    # Whether devices keep old versions as well; the main hub always does.
    on_devices: bool = False


class Peer(MessagePart, frozen=True):
    engine_id: str
    addresses: list[str]


class DesiredFolder(MessagePart, frozen=True, kw_only=True):
    id: EngineFolderId
    label: str
    mode: Mode
    path: str
    versioning: Versioning | None = None
    ignore_patterns: list[str] = []
    peers: list[str] = []
    encrypted: bool = False
    # If not 0, the id of a repair request, which the agent performs once.
    repair: int = 0
    # The engine neither scans nor syncs the folder.
    paused: bool = False


class DesiredState(Message, frozen=True, tag="desiredState"):
    """The complete desired state; within one epoch the revision never decreases."""

    revision: int
    epoch: str
    peers: list[Peer] = []
    folders: list[DesiredFolder] = []


class SignedState(Message, frozen=True, tag="signedState"):
    """A desired state or another request as JSON text, signed for one device."""

    state: str
    signature: bytes


class FolderError(MessagePart, frozen=True):
    folder_id: EngineFolderId
    code: Code
    inputs: Inputs = {}


class Applied(Message, frozen=True, tag="applied"):
    revision: Count
    errors: Annotated[list[FolderError], Meta(max_length=FOLDERS_PER_DEVICE)] = []


class Refused(Message, frozen=True, tag="refused"):
    """The agent does not follow this state, because it has followed a newer one."""

    epoch: Annotated[str, Meta(max_length=64)]
    revision: Count
    code: Code


class FolderStatus(msgspec.Struct, frozen=True, rename="camel"):
    state: FolderState
    files: Count = 0
    bytes: Count = 0
    need_files: Count = 0
    need_bytes: Count = 0
    errors: Count = 0
    # Items changed against the folder's mode; `revert` or `override` fixes them.
    drifted: Count = 0
    # Changes of the device that its hub has yet to receive; all files until the hub has announced
    # what it has.
    unsent_items: Count = 0
    unsent_bytes: Count = 0
    # False until then: it is unknown whether the device has everything.
    hub_known: bool = True


class TunnelStatus(msgspec.Struct, frozen=True, rename="camel"):
    """The connections of an engine to its hub that pass through the control server."""

    connections: Count
    # Bytes since the agent started.
    sent: Count
    received: Count


class Status(Message, frozen=True, tag="status"):
    """The folders that changed since the last message, by engine folder id."""

    folders: Annotated[dict[EngineFolderId, FolderStatus], Meta(max_length=FOLDERS_PER_DEVICE)]
    # None if the engine connects to its hub directly.
    tunnel: TunnelStatus | None = None


class Waiting(Message, frozen=True, tag="waiting"):
    fingerprint: str


class Rejected(Message, frozen=True, tag="rejected"):
    """The server closes the socket after this message."""

    code: Code
    inputs: Inputs = {}


FromAgent = Hello | Applied | Status | Refused | Inspected
SignedMessage = DesiredState | Inspect
FromServer = Challenge | Welcome | DesiredState | SignedState | Waiting | Rejected

_from_agent: msgspec.json.Decoder[FromAgent] = msgspec.json.Decoder(FromAgent)
_from_server: msgspec.json.Decoder[FromServer] = msgspec.json.Decoder(FromServer)
_hello = msgspec.json.Decoder(Hello)
_signed: msgspec.json.Decoder[SignedMessage] = msgspec.json.Decoder(SignedMessage)
_encoder = msgspec.json.Encoder()


class BadMessageError(ValueError):
    """The message is too long, not JSON or not part of this protocol."""


def encode(message: Message) -> str:
    return _encoder.encode(message).decode()


def decode_hello(raw: str | bytes) -> Hello:
    return _decode(_hello, raw, HELLO_BYTES)


def decode_from_agent(raw: str | bytes) -> FromAgent:
    return _decode(_from_agent, raw, AGENT_MESSAGE_BYTES)


def decode_from_server(raw: str | bytes) -> FromServer:
    return _decode(_from_server, raw, SERVER_MESSAGE_BYTES)


def decode_signed(raw: str) -> SignedMessage:
    """Decode the message inside a `SignedState`."""
    return _decode(_signed, raw, SERVER_MESSAGE_BYTES)


def _decode(decoder: msgspec.json.Decoder[T], raw: str | bytes, cap: int) -> T:
    if len(raw) > cap:
        raise BadMessageError("too long")
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise BadMessageError(str(error)) from error
