"""What each control server shows the others; in memory alone, so nothing is written for it."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.cluster.bus import Bus
from quartet.sync.cluster.types import Left, Message, Rows, Who

TELL_SECONDS = 0.3
BEAT_SECONDS = 2.0
# A server that is silent for so long is gone, and with it what it showed.
SILENT_SECONDS = 8.0

# Told the server, the name of the row and its JSON, or nothing when the row is gone.
Watch = Callable[[str, str, bytes | None], None]


@dataclass
class _Other:
    heard: float
    keys: set[str] = field(default_factory=set)


class Board:
    """A row has a kind and a name; those who know the kind watch it."""

    def __init__(self, bus: Bus, *, alone: bool) -> None:
        self.alone = alone
        self._bus = bus
        self._mine: dict[str, bytes] = {}
        self._new: dict[str, object | None] = {}
        self._others: dict[str, _Other] = {}
        self._watches: dict[str, Watch] = {}
        self._told_at = 0.0
        # Whoever has rows to put asks its parts here, right before they are told.
        self.before_telling: list[Callable[[], None]] = []
        bus.listeners.append(self._hear)
        bus.on_loss = self.greet

    def watch(self, kind: str, act: Watch) -> None:
        self._watches[kind] = act

    def put(self, kind: str, name: str, row: object | None) -> None:
        """Nothing takes the row away. Others see it within the next 300 ms."""
        if not self.alone:
            self._new[f"{kind} {name}"] = row

    def tell(self) -> None:
        for ask in self.before_telling:
            ask()
        rows, gone = self._changed()
        now = time.monotonic()
        if rows or gone or now - self._told_at > BEAT_SECONDS:
            self._told_at = now
            self._bus.send(Rows(self._bus.id, rows, gone))

    def _changed(self) -> tuple[dict[str, msgspec.Raw], list[str]]:
        new, self._new = self._new, {}
        rows: dict[str, msgspec.Raw] = {}
        gone: list[str] = []
        for key, row in new.items():
            encoded = None if row is None else msgspec.json.encode(row)
            if encoded == self._mine.get(key):
                continue
            if encoded is None:
                del self._mine[key]
                gone.append(key)
            else:
                self._mine[key] = encoded
                rows[key] = msgspec.Raw(encoded)
        return rows, gone

    def _tell_all(self) -> None:
        self._changed()
        rows = {key: msgspec.Raw(row) for key, row in self._mine.items()}
        self._bus.send(Rows(self._bus.id, rows, whole=True))

    def greet(self) -> None:
        """At the start, and when something may have been lost: all is told again."""
        if not self.alone:
            self._tell_all()
            self._bus.send(Who(self._bus.id))

    def _hear(self, message: Message) -> None:
        match message:
            case Rows():
                self._take(message)
            case Who():
                self._tell_all()
            case Left():
                self._forget(message.server)

    def _take(self, message: Rows) -> None:
        known = message.server in self._others
        other = self._others.setdefault(message.server, _Other(0.0))
        other.heard = time.monotonic()
        if not known and not message.whole:
            # It was here before us, or was thought to be gone.
            self._bus.send(Who(self._bus.id))
        gone = other.keys - message.rows.keys() if message.whole else message.gone
        other.keys -= set(gone)
        other.keys |= message.rows.keys()
        for key in gone:
            self._show(message.server, key, None)
        for key, row in message.rows.items():
            self._show(message.server, key, bytes(row))

    def _show(self, server: str, key: str, row: bytes | None) -> None:
        kind, _, name = key.partition(" ")
        if kind in self._watches:
            self._watches[kind](server, name, row)

    def _forget(self, server: str) -> None:
        other = self._others.pop(server, None)
        for key in other.keys if other else ():
            self._show(server, key, None)

    def miss(self) -> None:
        """Whoever was not heard of for long is gone."""
        oldest = time.monotonic() - SILENT_SECONDS
        for server in [id for id, other in self._others.items() if other.heard < oldest]:
            self._forget(server)

    def leave(self) -> None:
        self._bus.send(Left(self._bus.id))


def board_loop(board: Board) -> BackgroundTask:
    async def run() -> None:
        board.greet()
        try:
            while True:
                board.tell()
                board.miss()
                await asyncio.sleep(TELL_SECONDS)
        finally:
            board.leave()

    return BackgroundTask("servers", run, restart_on_return=True, everywhere=True)
