"""The file with the recorded values."""

import logging
from array import array
from collections.abc import Mapping
from pathlib import Path

import msgspec

from quartet.kernel.trends.series import SPANS, Series

log = logging.getLogger("quartet.trends")

VERSION = 1
Key = tuple[str, str]


class StoredRing(msgspec.Struct, array_like=True, frozen=True):
    last: int
    values: bytes


class StoredSeries(msgspec.Struct, array_like=True, frozen=True):
    name: str
    label: str
    # In the order of `SPANS`.
    rings: list[StoredRing]


class StoredTrends(msgspec.Struct, frozen=True):
    version: int
    series: list[StoredSeries]


def encode(series: Mapping[Key, Series]) -> bytes:
    stored = [
        StoredSeries(
            name,
            label,
            [StoredRing(ring.last, ring.values.tobytes()) for ring in each.rings.values()],
        )
        for (name, label), each in series.items()
    ]
    return msgspec.msgpack.encode(StoredTrends(VERSION, stored))


def write(path: Path, data: bytes) -> None:
    """Replace the file. It is not synced: losing some minutes in a power cut is harmless."""
    part = path.with_suffix(".new")
    part.write_bytes(data)
    part.replace(path)


def read(path: Path) -> dict[Key, Series]:
    """Return what the file holds; nothing if it is missing, damaged or of another version."""
    try:
        stored = msgspec.msgpack.decode(path.read_bytes(), type=StoredTrends)
        if stored.version != VERSION:
            return {}
        return {(each.name, each.label): _series(each) for each in stored.series}
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError, ValueError) as error:
        log.warning("starting charts without their past values, %s is damaged: %s", path, error)
        return {}


def _series(stored: StoredSeries) -> Series:
    series = Series()
    for span, found in zip(SPANS, stored.rings, strict=True):
        ring = series.rings[span]
        values = array("f")
        values.frombytes(found.values)
        if len(values) != ring.room:
            raise ValueError(f"{stored.name} has {len(values)} values for {span}")
        ring.last, ring.values = found.last, values
    return series
