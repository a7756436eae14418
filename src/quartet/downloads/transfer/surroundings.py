"""What all downloads share."""

from collections.abc import Callable
from dataclasses import dataclass

from quartet.downloads.transfer.buckets import Limits
from quartet.downloads.transfer.hops import Gate
from quartet.downloads.transfer.loop import Loop
from quartet.downloads.transfer.saver import Saver
from quartet.downloads.transfer.types import Outcome


@dataclass(frozen=True)
class Surroundings:
    loop: Loop
    limits: Limits
    gate: Gate
    saver: Saver
    reserve: int
    save_every: float
    ca_file: str | None
    report: Callable[[Outcome], None]
