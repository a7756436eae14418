"""An event as a feature writes it, and as it travels."""

import msgspec


class Event(msgspec.Struct, frozen=True, tag_field="type", rename="camel", omit_defaults=False):
    """What happened. Every kind is a subclass with its own `tag`, the name the browser sees."""


class Resync(Event, frozen=True, tag="resync"):
    """Something may be missing: a client that gets this reloads what it shows."""


class Signal(Event, frozen=True, tag="signal"):
    """From process to process: no browser sees it."""

    topic: str
    about: str = ""


class Frame(msgspec.Struct, frozen=True):
    """An event encoded once, shared by all who receive it."""

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
        """One line: neither an id nor a type holds a space, and JSON holds no line break."""
        return b"%b %b %b" % (self.id.encode(), self.type.encode(), self.data)


def encode_event(id: str, event: Event) -> Frame:
    return _frame(id, _type_of(event), msgspec.json.encode(event))


def resync_frame(id: str) -> Frame:
    return encode_event(id, Resync())


def frame_from_wire(line: bytes) -> Frame:
    id, type, data = line.split(b" ", 2)
    return _frame(id.decode(), type.decode(), data)


def sse_block(event: Event) -> bytes:
    """An event outside the numbered ones: a client that goes on later does not count it."""
    return _sse(_type_of(event), msgspec.json.encode(event))


def _frame(id: str, type: str, data: bytes) -> Frame:
    return Frame(id, type, data, b"id: %b\n%b" % (id.encode(), _sse(type, data)))


def _sse(type: str, data: bytes) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (type.encode(), data)


def _type_of(event: Event) -> str:
    return str(event.__struct_config__.tag)
