"""What everything that fetches runs uses."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.ingest.step_learning import StepLearning
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.types import Provider, Reader


@dataclass(frozen=True)
class Tools:
    """`poll` is the shortest pause between rounds in seconds.

    `elapsed` measures time like `clock`, but cannot be set.
    """

    catalogue: Catalogue
    readers: Mapping[Provider, Reader]
    workers: Workers
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    poll: float
    elapsed: Callable[[], float]
    # Two models may need the same mesh at the same time.
    mesh_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    step_learning: StepLearning = field(default_factory=StepLearning)
