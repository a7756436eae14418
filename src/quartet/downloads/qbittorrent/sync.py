"""The changes that clients poll: `sync/maindata` sends what differs from an earlier response."""

import secrets
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple

from quartet.downloads.qbittorrent.types import Shown

# Clients that are further behind receive everything again.
MOST_RESPONSES = 32


class MainData(NamedTuple):
    torrents: dict[str, Shown]
    categories: dict[str, Shown]
    tags: list[str]
    server_state: Shown


class SyncHistory:
    """Remembers the last responses; unchanged torrents are stored once."""

    def __init__(self) -> None:
        self._responses: OrderedDict[int, MainData] = OrderedDict()
        # A client may still have a number from before a restart.
        self._last = secrets.randbelow(2**30) + 1

    def response(self, given: int, now: MainData) -> Shown:
        before = self._responses.get(given)
        latest = next(reversed(self._responses.values()), None)
        self._last += 1
        self._responses[self._last] = _shared(latest, now)
        if len(self._responses) > MOST_RESPONSES:
            self._responses.popitem(last=False)
        if before is None:
            return {"rid": self._last, "full_update": True, **now._asdict()}
        return {"rid": self._last, **changes(before, now)}


def changes(before: MainData, now: MainData) -> Shown:
    """Return what has changed; parts without changes are left out."""
    found: Shown = {
        "torrents": _changed(before.torrents, now.torrents),
        "torrents_removed": [each for each in before.torrents if each not in now.torrents],
        "categories": _changed(before.categories, now.categories),
        "categories_removed": [each for each in before.categories if each not in now.categories],
        "tags": [tag for tag in now.tags if tag not in before.tags],
        "tags_removed": [tag for tag in before.tags if tag not in now.tags],
        "server_state": _fields(before.server_state, now.server_state),
    }
    return {name: value for name, value in found.items() if value}


def _changed(before: Mapping[str, Shown], now: Mapping[str, Shown]) -> dict[str, Shown]:
    fields = {name: _fields(before.get(name, {}), shown) for name, shown in now.items()}
    return {name: changed for name, changed in fields.items() if changed}


def _fields(before: Shown, now: Shown) -> Shown:
    missing = object()
    return {name: value for name, value in now.items() if before.get(name, missing) != value}


def _shared(before: MainData | None, now: MainData) -> MainData:
    """Return the data with the torrents of the previous response where they are equal."""
    if before is None:
        return now

    def kept(hash: str, shown: Shown) -> Any:
        old = before.torrents.get(hash)
        return old if old == shown else shown

    return now._replace(torrents={hash: kept(hash, each) for hash, each in now.torrents.items()})
