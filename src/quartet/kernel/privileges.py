"""Switches from root to an ordinary user; containers start as root to fix folder ownership."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from quartet.kernel.settings import SettingsError

# chown interprets 2**32 - 1 as "leave unchanged".
HIGHEST_ID = 2**32 - 2


def drop_privileges(folders: Iterable[Path], environ: Mapping[str, str]) -> None:
    """Apply UMASK; if started as root with PUID, change folder owners and switch to that user."""
    user = _number(environ, "PUID", base=10, highest=HIGHEST_ID)
    group = _number(environ, "PGID", base=10, highest=HIGHEST_ID)
    umask = _number(environ, "UMASK", base=8, highest=0o777)
    if umask is not None:
        os.umask(umask)
    if user is None or os.geteuid() != 0:
        return
    group = user if group is None else group
    for folder in folders:
        _change_owner(folder, user, group)
    os.setgroups([])
    os.setgid(group)
    os.setuid(user)


def _number(environ: Mapping[str, str], name: str, *, base: int, highest: int) -> int | None:
    text = environ.get(name, "")
    if not text:
        return None
    digits = "[0-7]{1,4}" if base == 8 else "[0-9]{1,10}"
    if not re.fullmatch(digits, text) or int(text, base) > highest:
        raise SettingsError(f"{name} has an invalid value {text!r}")
    return int(text, base)


def _change_owner(folder: Path, user: int, group: int) -> None:
    """Change the owner of a folder and its direct children, and of everything below them if the
    folder had another owner. A whole tree could take minutes, so this is not done at every start.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        now = folder.stat()
        known = (now.st_uid, now.st_gid) == (user, group)
        for path in folder.iterdir() if known else folder.rglob("*"):
            # Do not follow links, which may point outside the folder.
            _chown(path, user, group, follow_symlinks=False)
        # Last, so that the next start continues if this one is interrupted.
        _chown(folder, user, group)
    except OSError as error:
        raise SettingsError(
            f"cannot change the owner of {folder} to {user}:{group}: {error}"
        ) from error


def _chown(path: Path, user: int, group: int, *, follow_symlinks: bool = True) -> None:
    now = path.stat(follow_symlinks=follow_symlinks)
    if (now.st_uid, now.st_gid) != (user, group):
        os.chown(path, user, group, follow_symlinks=follow_symlinks)
