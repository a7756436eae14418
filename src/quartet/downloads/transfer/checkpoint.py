"""The checkpoint next to a part file: which of its bytes are valid, for resuming."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

import msgspec

from quartet.downloads.transfer.segments import Span, covers
from quartet.kernel.files import Root, write_atomic

_ENDING = ".state"
_LARGEST = 16 * 1024 * 1024


class Identity(msgspec.Struct, frozen=True):
    """What distinguishes one version of a file on the server from another."""

    size: int
    etag: str | None = None
    modified: str | None = None

    @property
    def strong_etag(self) -> str | None:
        """Return the ETag unless it is weak; a weak one does not guarantee identical bytes."""
        if self.etag and self.etag.startswith('"'):
            return self.etag
        return None

    def differs(self, other: "Identity") -> bool:
        """Compare the values that both sides know."""
        return (
            self.size != other.size
            or _conflict(self.etag, other.etag)
            or (not (self.etag and other.etag) and _conflict(self.modified, other.modified))
        )


class Checkpoint(msgspec.Struct, frozen=True):
    identity: Identity
    spans: list[Span]
    version: int = 1
    # Which address the identity belongs to; empty for the first one.
    source: str = ""


def checkpoint_path(part: Path) -> Path:
    return part.with_name(part.name + _ENDING)


def program_folder(part: Path) -> Path:
    """Return the working folder of a program that fetches this file."""
    return part.with_name(part.name + ".d")


def load(part: Path) -> Checkpoint | None:
    """Return the checkpoint of a part file, or None if it is missing or does not match the file."""
    path = checkpoint_path(part)
    try:
        if path.stat().st_size > _LARGEST or part.is_symlink():
            return None
        checkpoint = msgspec.json.decode(path.read_bytes(), type=Checkpoint)
        length = part.stat().st_size
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return None
    matches = (
        covers(checkpoint.identity.size, checkpoint.spans) and length == checkpoint.identity.size
    )
    return checkpoint if matches and checkpoint.version == 1 else None


def saved_spans(part: Path) -> list[Span]:
    """Return the segments from which a paused download would resume."""
    checkpoint = load(part)
    return checkpoint.spans if checkpoint else []


def save(part: Path, checkpoint: Checkpoint) -> None:
    """Write the checkpoint; call it only after the bytes it describes are synced."""
    path = checkpoint_path(part)
    write_atomic(Root(path.parent), path.name, msgspec.json.encode(checkpoint), mode=0o600)


def remove_checkpoint(part: Path) -> None:
    """Remove the checkpoint of a part file that was moved or that starts over."""
    with suppress(FileNotFoundError):
        os.unlink(f"{part}{_ENDING}")  # noqa: PTH108 - creating a path takes longer


def discard(part: Path) -> None:
    """Remove a part file, its checkpoint and the working folder of a program."""
    # Remove the checkpoint first: after a crash in between, the bytes are not used.
    remove_checkpoint(part)
    part.unlink(missing_ok=True)
    shutil.rmtree(program_folder(part), ignore_errors=True)


def _conflict(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other
