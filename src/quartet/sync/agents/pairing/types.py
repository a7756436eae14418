from typing import Any, Literal

import msgspec

from quartet.sync.config.types.devices import Name
from quartet.sync.protocol import Rejected


class Refusal(Exception):
    """An agent is turned away; it is told why."""

    def __init__(self, code: str, **inputs: Any) -> None:
        super().__init__(code)
        self.rejected = Rejected(code, inputs)


class NewEnrollment(msgspec.Struct, frozen=True):
    # What the device shall be called instead of its host name.
    name: Name | None = None


class Enrollment(msgspec.Struct, frozen=True, rename="camel"):
    code: str
    expires_at: int
    # To be run on the device.
    command: str


class PairingCode(msgspec.Struct, frozen=True):
    code: str


class EnrollmentState(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    state: Literal["pending", "used", "expired"]
    device_id: int | None = None


class Approval(msgspec.Struct, frozen=True, rename="camel"):
    # The whole key: somebody could make two keys with one fingerprint.
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
