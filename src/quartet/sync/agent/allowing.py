"""Implements `quartet agent allow`."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from quartet.sync.agent.errors import AgentError
from quartet.sync.agent.places import default_places
from quartet.sync.agent.store import Store


def change_allowed(
    folder: Path, paths: Sequence[Path], *, remove: bool, reset: bool
) -> Sequence[Path]:
    """Change the folders below which the server may browse and share; return the new list.

    A running agent reads the list again before it applies the next state or answers the server.
    """
    store = Store(folder)
    joined = store.joined()
    before = [Path(each) for each in joined.allow] or default_places(Path.home())
    if reset:
        after = []
    elif remove:
        after = [each for each in before if each not in paths]
        if not after:
            raise AgentError("at least one folder must stay allowed")
    else:
        after = [*before, *(each for each in paths if each not in before)]
    if after != before:
        store.join(replace(joined, allow=tuple(str(each) for each in after)))
    return after or default_places(Path.home())
