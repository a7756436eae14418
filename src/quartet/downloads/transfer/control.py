"""The file beside a part file that says what of it can be trusted."""

import shutil
from pathlib import Path

import msgspec

from quartet.downloads.transfer.segments import Span, covers
from quartet.kernel.files import Root, write_atomic

_ENDING = ".state"
_LARGEST = 16 * 1024 * 1024


class Identity(msgspec.Struct, frozen=True):
    """What tells one version of a file from another."""

    size: int
    etag: str | None = None
    modified: str | None = None

    @property
    def strong_etag(self) -> str | None:
        """A weak one promises the same meaning, not the same bytes."""
        if self.etag and self.etag.startswith('"'):
            return self.etag
        return None

    def differs(self, other: "Identity") -> bool:
        """Only what both know is compared."""
        return (
            self.size != other.size
            or _contradict(self.etag, other.etag)
            or (not (self.etag and other.etag) and _contradict(self.modified, other.modified))
        )


class Control(msgspec.Struct, frozen=True):
    identity: Identity
    spans: list[Span]
    version: int = 1


def control_path(part: Path) -> Path:
    return part.with_name(part.name + _ENDING)


def workshop(part: Path) -> Path:
    """The folder of a program that fetches this file."""
    return part.with_name(part.name + ".d")


def load(part: Path) -> Control | None:
    """What is known about a part file; nothing when the two do not belong together."""
    path = control_path(part)
    try:
        if path.stat().st_size > _LARGEST or part.is_symlink():
            return None
        control = msgspec.json.decode(path.read_bytes(), type=Control)
        length = part.stat().st_size
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return None
    fits = covers(control.identity.size, control.spans) and length == control.identity.size
    return control if fits and control.version == 1 else None


def saved_spans(part: Path) -> list[Span]:
    """What a download that does not run would go on with."""
    control = load(part)
    return control.spans if control else []


def save(part: Path, control: Control) -> None:
    """To be called when the bytes it speaks of are on the disk."""
    path = control_path(part)
    write_atomic(Root(path.parent), path.name, msgspec.json.encode(control), mode=0o600)


def forget(part: Path) -> None:
    """Removes the control file of a part that is finished and moved, or starts anew."""
    control_path(part).unlink(missing_ok=True)


def discard(part: Path) -> None:
    """Removes a part file and what is known about it."""
    # The claim goes before the bytes: a crash in between leaves bytes nobody believes in.
    forget(part)
    part.unlink(missing_ok=True)
    shutil.rmtree(workshop(part), ignore_errors=True)


def _contradict(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other
