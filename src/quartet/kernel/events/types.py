"""Events as features define them, and their encoded form."""

import msgspec


class Event(msgspec.Struct, frozen=True, tag_field="type", rename="camel", omit_defaults=False):
    """Base of all events. Each subclass sets a `tag`, the event name the browser sees."""


class Resync(Event, frozen=True, tag="resync"):
    """Tells clients to reload, because events may have been lost."""


class Signal(Event, frozen=True, tag="signal"):
    """A message between processes; browsers do not receive it."""

    topic: str
    about: str = ""


class Frame(msgspec.Struct, frozen=True):
    """An event that is encoded once for all listeners."""

    id: str
    type: str
    data: bytes
    sse: bytes

    @property
    def is_resync(self) -> bool:
        return self.type == "resync"

    @property
    def signal(self) -> Signal | None:
        return msgspec.json.decode(self.data, type=Signal) if self.type == "signal" else None

    def to_wire(self) -> bytes:
        """Encode as one line: ids and types contain no spaces, JSON contains no line breaks."""
        return b"%b %b %b" % (self.id.encode(), self.type.encode(), self.data)


def encode_event(id: str, event: Event) -> Frame:
    return _frame(id, _type_of(event), msgspec.json.encode(event))


def resync_frame(id: str) -> Frame:
    return encode_event(id, Resync())


def frame_from_wire(line: bytes) -> Frame:
    id, type, data = line.split(b" ", 2)
    return _frame(id.decode(), type.decode(), data)


def sse_block(event: Event) -> bytes:
    """Encode an event without an id; clients do not resume from it."""
    return _sse(_type_of(event), msgspec.json.encode(event))


def _frame(id: str, type: str, data: bytes) -> Frame:
    return Frame(id, type, data, b"id: %b\n%b" % (id.encode(), _sse(type, data)))


def _sse(type: str, data: bytes) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (type.encode(), data)


def _type_of(event: Event) -> str:
    return str(event.__struct_config__.tag)
