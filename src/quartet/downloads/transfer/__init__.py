"""The transfer engine: files from HTTP and FTP servers, whole or not at all."""

from quartet.downloads.transfer.ciphers import CounterMode
from quartet.downloads.transfer.control import discard, forget, saved_spans
from quartet.downloads.transfer.engine import Engine
from quartet.downloads.transfer.hashes import verify
from quartet.downloads.transfer.programs import Programs
from quartet.downloads.transfer.sums import Sum, is_list, parse_sums
from quartet.downloads.transfer.types import (
    Failed,
    Finished,
    Job,
    Outcome,
    Patience,
    Paused,
    Program,
    Snapshot,
)

__all__ = [
    "CounterMode",
    "Engine",
    "Failed",
    "Finished",
    "Job",
    "Outcome",
    "Patience",
    "Paused",
    "Program",
    "Programs",
    "Snapshot",
    "Sum",
    "discard",
    "forget",
    "is_list",
    "parse_sums",
    "saved_spans",
    "verify",
]
