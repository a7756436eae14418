"""Sends messages between control servers, split into parts that fit into an event."""

import binascii
import itertools
import logging
import secrets
import zlib
from collections import OrderedDict
from collections.abc import Callable

import msgspec

from quartet.kernel.events import EventHub, Signal
from quartet.sync.cluster.types import ClusterMessage

log = logging.getLogger("quartet.sync.cluster")

TOPIC = "sync-servers"
# A PostgreSQL notification is limited to less than 8000 bytes.
PART_CHARS = 7_000
# Limit for incomplete messages, for example from a server that was killed.
MOST_OPEN = 100

_decoder: msgspec.json.Decoder[ClusterMessage] = msgspec.json.Decoder(ClusterMessage)


class Bus:
    """Every server receives the messages of all others, but not its own."""

    def __init__(self, events: EventHub) -> None:
        # New at every start, so a restarted server counts as a different one.
        self.id = secrets.token_hex(8)
        self._events = events
        self._numbers = itertools.count(1)
        self._open: OrderedDict[str, list[str]] = OrderedDict()
        self.listeners: list[Callable[[ClusterMessage], None]] = []
        # Called when messages may have been lost.
        self.on_loss: Callable[[], None] = lambda: None
        events.on(TOPIC, self._on_signal)

    def send(self, message: ClusterMessage) -> None:
        packed = zlib.compress(msgspec.json.encode(message), level=1)
        text = binascii.b2a_base64(packed, newline=False).decode()
        name = f"{self.id}-{next(self._numbers)}"
        count = -(-len(text) // PART_CHARS)
        for number in range(count):
            part = text[number * PART_CHARS : (number + 1) * PART_CHARS]
            self._events.publish(Signal(TOPIC, f"{name} {count} {part}"))

    def _on_signal(self, about: str) -> None:
        if not about:
            self._open.clear()
            self.on_loss()
            return
        name, count, part = about.split(" ", 2)
        if name.startswith(self.id):
            return
        parts = self._open.setdefault(name, [])
        parts.append(part)
        if len(parts) == int(count):
            del self._open[name]
            self._dispatch("".join(parts))
        elif len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)

    def _dispatch(self, text: str) -> None:
        try:
            message = _decoder.decode(zlib.decompress(binascii.a2b_base64(text)))
        except (ValueError, zlib.error, msgspec.DecodeError) as error:
            # From a different version, while servers are being updated one by one.
            log.warning("ignored an unreadable message from another server: %s", error)
            return
        for listener in self.listeners:
            listener(message)
