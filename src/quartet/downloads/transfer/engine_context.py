"""What all downloads of an engine share."""

from collections.abc import Callable
from dataclasses import dataclass

from quartet.downloads.transfer.buckets import LimitBuckets
from quartet.downloads.transfer.checkpointer import CheckpointWriter
from quartet.downloads.transfer.curl import TrustFiles
from quartet.downloads.transfer.loop import CurlLoop
from quartet.downloads.transfer.redirects import RedirectPolicy
from quartet.downloads.transfer.types import Outcome


@dataclass(frozen=True)
class EngineContext:
    loop: CurlLoop
    limits: LimitBuckets
    redirects: RedirectPolicy
    checkpoint_writer: CheckpointWriter
    reserve: int
    save_every: float
    trust: TrustFiles
    report: Callable[[Outcome], None]
