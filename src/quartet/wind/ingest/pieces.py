"""The fields in files that were fetched, and which file is to blame for a bad one."""

from collections.abc import Iterator
from contextlib import contextmanager

from quartet.wind.ingest.fields import Parameter
from quartet.wind.models.refused import Refused
from quartet.wind.models.sections import RawField, fields_of
from quartet.wind.models.types import Fetched


def fields_of_pieces(fetched: Fetched) -> Iterator[Iterator[RawField]]:
    """Yield the fields of each file."""
    for piece in fetched.pieces:
        yield fields_of(piece)


def wanted_fields(
    fetched: Fetched, wanted: tuple[Parameter, ...], *, lenient: bool = False
) -> Iterator[tuple[int, RawField]]:
    for number, piece in enumerate(fetched.pieces):
        try:
            # A list, so that errors of the caller do not count as errors of this file.
            found = [raw for raw in fields_of(piece) if raw.parameter in wanted]
        except Refused as error:
            if lenient and is_extra(fetched, number):
                continue
            error.piece = number
            raise
        for raw in found:
            yield number, raw


def is_extra(fetched: Fetched, piece: int) -> bool:
    return fetched.required is not None and piece >= fetched.required


@contextmanager
def tolerated(allowed: bool) -> Iterator[None]:
    """Leave out a bad field, if that is allowed."""
    try:
        yield
    except Refused:
        if not allowed:
            raise


@contextmanager
def blamed(piece: int) -> Iterator[None]:
    """Note which file was to blame: only that one is fetched again."""
    try:
        yield
    except Refused as error:
        error.piece = piece
        raise
