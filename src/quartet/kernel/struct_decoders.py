"""Makes the types of all messages ready before threads need them."""

from collections.abc import Iterator
from contextlib import suppress

import msgspec


def prepare_decoders() -> None:
    """msgspec 0.22 learns the fields of a struct when it first reads one, and shows what it has
    learned before it is whole: a second thread that reads the same struct then crashes the process.
    """
    for struct in _below(msgspec.Struct):
        # A plugin may have one that nobody can read.
        with suppress(TypeError, NameError):
            msgspec.json.Decoder(struct)


def _below(kind: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for each in kind.__subclasses__():
        # Litestar has one for each handler, and reads them in the thread of its loop alone.
        if each.__module__.startswith("litestar."):
            continue
        yield each
        yield from _below(each)
