import msgspec

from quartet.sync.desired.types import HubPhase


class KnownHub(msgspec.Struct, frozen=True):
    """What is kept of a hub, so that its devices do not lose it when nobody runs it."""

    name: str
    engine_id: str
    address: str


def alone(name: str) -> str:
    """What the loops of a hub are called, of which only one server runs any."""
    return f"hub-{name}" if name else "hub"


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
