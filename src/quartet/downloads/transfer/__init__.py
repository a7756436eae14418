"""The transfer engine: fetches files from HTTP and FTP servers, in segments and resumable."""

from quartet.downloads.transfer.checkpoint import discard, remove_checkpoint, saved_spans
from quartet.downloads.transfer.checksum_lists import (
    Checksum,
    is_checksum_list,
    parse_checksum_list,
)
from quartet.downloads.transfer.ciphers import CounterMode
from quartet.downloads.transfer.engine import Engine
from quartet.downloads.transfer.hashes import verify_checksum
from quartet.downloads.transfer.programs import Programs
from quartet.downloads.transfer.redirects import PORTS, login_for, may_have_secrets
from quartet.downloads.transfer.types import (
    ExternalProgram,
    Failed,
    Finished,
    Job,
    Outcome,
    Paused,
    ServerCredentials,
    Snapshot,
    Timeouts,
)

__all__ = [
    "PORTS",
    "Checksum",
    "CounterMode",
    "Engine",
    "ExternalProgram",
    "Failed",
    "Finished",
    "Job",
    "Outcome",
    "Paused",
    "Programs",
    "ServerCredentials",
    "Snapshot",
    "Timeouts",
    "discard",
    "is_checksum_list",
    "login_for",
    "may_have_secrets",
    "parse_checksum_list",
    "remove_checkpoint",
    "saved_spans",
    "verify_checksum",
]
