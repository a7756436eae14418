from typing import Any, Literal

import msgspec

from quartet.sync.config.types.devices import Name
from quartet.sync.protocol import Rejected


class AgentRejection(Exception):
    """Rejects an agent with a code that is sent to it."""

    def __init__(self, code: str, **inputs: Any) -> None:
        super().__init__(code)
        self.rejected = Rejected(code, inputs)


class NewEnrollment(msgspec.Struct, frozen=True):
    # Replaces the host name as the name of the device.
    name: Name | None = None


class Enrollment(msgspec.Struct, frozen=True, rename="camel"):
    code: str
    expires_at: int
    # Shell command for the device.
    command: str
    # Public page with the commands that install the agent from this server. The code follows the #,
    # which browsers do not send.
    link: str
    # The fingerprint of the server's key, which is also the second half of the code.
    server_fingerprint: str


class PairingCode(msgspec.Struct, frozen=True):
    code: str


class EnrollmentState(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    state: Literal["pending", "used", "expired"]
    device_id: int | None = None


class Approval(msgspec.Struct, frozen=True, rename="camel"):
    # The whole key, because two keys with the same fingerprint could be generated.
    public_key: bytes
    name: Name | None = None


class ShownWaiting(msgspec.Struct, frozen=True, rename="camel"):
    fingerprint: str
    public_key: bytes
    host_name: str
    os: str
    agent_version: str
    since: int


class KnownCode(msgspec.Struct, frozen=True):
    expires_at: int
    used_at: int | None
    device_id: int | None
    name: str | None
