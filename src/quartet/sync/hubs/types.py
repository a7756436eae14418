import msgspec

from quartet.sync.desired.types import HubPhase


class KnownHub(msgspec.Struct, frozen=True):
    """What is kept of a hub, so that its devices do not lose it when nobody runs it."""

    name: str
    engine_id: str
    address: str


class ListedHub(msgspec.Struct, frozen=True, rename="camel"):
    # Empty for the main one.
    name: str
    engine_id: str
    # Where devices dial it; empty when they try the host at which they found the server.
    address: str
    # Stopped also while no server has it.
    state: HubPhase
    # How many dial it.
    devices: int
