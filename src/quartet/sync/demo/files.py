"""Sample files of the demo devices."""

import hashlib
import os
import time
from pathlib import Path

KIB = 1024
# Large enough to take a while at the desktop's speed limit, so that progress is visible.
VIDEO_BYTES = 24 * 1024 * KIB
LIST = "shopping-list.md"

_NOTES = {
    "welcome.md": "# Notes\n\nWhat is changed here arrives on every other device.\n",
    "packing.md": "- passport\n- charger\n- rain coat\n",
    "ideas.md": "- a shelf for the hall\n- learn to sail\n",
}


def fill_laptop(folder: Path) -> None:
    for name, text in _NOTES.items():
        _put(folder / "Notes" / name, text.encode())
    _put(folder / "Notes" / LIST, b"- bread\n- apples\n- tea\n")
    for number in range(1, 7):
        _put(folder / "Photos" / f"harbour-{number:02}.jpg", _noise(f"photo {number}", 90 * KIB))
    _put(folder / "Photos" / "regatta.mp4", _noise("video", VIDEO_BYTES))


def fill_desktop(folder: Path) -> None:
    """Create the same list with other contents, which becomes a conflict."""
    _put(folder / "Notes" / LIST, b"- bread\n- pears\n- coffee\n")
    hour_ago = (folder / "Notes" / LIST).stat().st_mtime - 3600
    os.utime(folder / "Notes" / LIST, (hour_ago, hour_ago))


def change_photo(folder: Path, number: int, size: int) -> None:
    """Replace one of a few photos, so that the demo does not fill the disk."""
    name = f"sunset-{number % 4 + 1}.jpg"
    _put(folder / "Photos" / name, _noise(f"{name} {time.time_ns()}", size))


def change_note(folder: Path, number: int) -> None:
    lines = [f"- idea {each}\n" for each in range(1, number % 12 + 2)]
    _put(folder / "Notes" / "ideas.md", "".join(lines).encode())


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _noise(seed: str, size: int) -> bytes:
    """Return unique bytes: the engine transfers equal blocks only once."""
    return hashlib.shake_128(seed.encode()).digest(size)
