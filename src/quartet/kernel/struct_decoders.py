"""Prepares msgspec struct types before threads use them."""

from collections.abc import Iterator
from contextlib import suppress
from weakref import WeakSet

import msgspec

# A process may start several services, and a reloaded plugin drops its structs.
_prepared: WeakSet[type[msgspec.Struct]] = WeakSet()


def prepare_decoders() -> None:
    """Build a decoder for every struct.

    msgspec 0.22 initialises the fields of a struct on first use without a lock: a second thread
    that decodes the same struct at that moment crashes the process.
    """
    for struct in _subclasses(msgspec.Struct):
        if struct in _prepared:
            continue
        # A plugin may define a struct that cannot be decoded.
        with suppress(TypeError, NameError):
            msgspec.json.Decoder(struct)
        _prepared.add(struct)


def _subclasses(kind: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for each in kind.__subclasses__():
        # Litestar's signature models are only decoded on the event loop.
        if each.__module__.startswith("litestar."):
            continue
        yield each
        yield from _subclasses(each)
