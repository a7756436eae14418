"""The places of this device, and the names of the folders below them, for the folder picker.

The server never receives names of files or contents, and nothing outside the folders that the owner
allows.
"""

import getpass
import os
import re
import shutil
import string
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from quartet.sync.agent.paths import PathChecker, PathPolicy
from quartet.sync.agent.system import this_system
from quartet.sync.protocol import Place, System
from quartet.sync.protocol.inspection import PlaceKind
from quartet.sync.protocol.limits import FOLDER_NAMES, PATH_CHARS, PLACES

# A folder may contain millions of files; the rest is not read.
MOST_ENTRIES = 20_000
_DOCUMENTS = re.compile(r'^XDG_DOCUMENTS_DIR="\$HOME/([^"]+)"', re.MULTILINE)


@dataclass(frozen=True)
class FolderNames:
    names: list[str]
    # True if there are more folders than listed.
    more: bool


def default_places(home: Path, system: System | None = None) -> list[Path]:
    """Return the folders below which the server may create folders if the owner names none."""
    return [home, *disk_parents(system or this_system())]


def disk_parents(system: System) -> list[Path]:
    """Return the folders below which the operating system mounts disks."""
    if system == "windows":
        own = os.environ.get("SYSTEMDRIVE", "C:")[:1].upper()
        return [Path(f"{each}:\\") for each in string.ascii_uppercase if each != own]
    if system == "macos":
        return [Path("/Volumes")]
    user = getpass.getuser()
    return [Path("/media", user), Path("/run/media", user), Path("/mnt")]


def list_places(policy: PathPolicy) -> list[Place]:
    """Return the home, the documents, the mounted disks and the allowed folders."""
    checker, found = PathChecker(policy), dict[str, Place]()
    for kind, path in _candidates(policy):
        usable = len(str(path)) <= PATH_CHARS and str(path) not in found
        if usable and path.is_dir() and checker.may_browse(path):
            found[str(path)] = Place(kind, str(path), _free_bytes(path))
    return list(found.values())[:PLACES]


def _candidates(policy: PathPolicy) -> Iterator[tuple[PlaceKind, Path]]:
    yield "home", policy.home
    yield "documents", _documents(policy.home)
    parents = disk_parents(policy.system)
    for parent in parents:
        for path in (parent, *_folders_in(parent)):
            if os.path.ismount(path):
                yield "disk", path
    for path in policy.allowed:
        if path not in parents:
            yield "allowed", path


def _documents(home: Path) -> Path:
    """Return the documents folder, whose name depends on the language on Linux."""
    try:
        named = _DOCUMENTS.search((home / ".config/user-dirs.dirs").read_text())
    except (OSError, UnicodeError):
        named = None
    return home / (named[1] if named else "Documents")


def _folders_in(parent: Path) -> list[Path]:
    try:
        return sorted(each for each in parent.iterdir() if each.is_dir())
    except OSError:
        return []


def _free_bytes(path: Path) -> int:
    try:
        return shutil.disk_usage(path).free
    except OSError:
        return 0


def list_folders(policy: PathPolicy, path: Path) -> FolderNames | None:
    """Return the names of the visible folders in a folder; None if the owner does not allow it."""
    checker = PathChecker(policy)
    if not checker.may_browse(path):
        return None
    names, more = list[str](), False
    try:
        with os.scandir(path) as entries:
            for count, entry in enumerate(entries, 1):
                more = count > MOST_ENTRIES
                if more:
                    break
                if _is_shown(entry):
                    names.append(entry.name)
    except OSError:
        return None
    allowed = (name for name in sorted(names, key=str.casefold) if checker.may_browse(path / name))
    first = list(islice(allowed, FOLDER_NAMES + 1))
    return FolderNames(first[:FOLDER_NAMES], more or len(first) > FOLDER_NAMES)


def _is_shown(entry: os.DirEntry[str]) -> bool:
    """Return True for a real folder whose name the server can receive as text."""
    try:
        entry.name.encode()
        return entry.is_dir(follow_symlinks=False)
    except (OSError, UnicodeEncodeError):
        return False
