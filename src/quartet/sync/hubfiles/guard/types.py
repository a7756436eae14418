import msgspec

from quartet.sync.hub.types import Action

# More files are only counted.
MOST_LISTED = 1000


class HeldFile(msgspec.Struct, frozen=True):
    path: str
    action: Action
    size: int


class PassedFile(msgspec.Struct, frozen=True):
    """A file that the hub had changed before the hold; the hub has restored it."""

    path: str
    action: Action
    # When the device changed it first.
    at: int


class HeldChanges(msgspec.Struct, frozen=True):
    """What a device wanted to change when its share was put on hold."""

    at: int
    deleted: int
    replaced: int
    files: list[HeldFile]
    passed: list[PassedFile] = []
