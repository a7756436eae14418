"""Sync: up to 200 folders on one server with 1,000 devices, of which each shares two."""

from collections.abc import Iterable

from bench.growth_curves import Curve
from bench.growth_sync import measure_server

DEVICES = 1_000


def curves(sizes: Iterable[int]) -> list[Curve]:
    return measure_server("folders", ((size, DEVICES, size) for size in sizes))
