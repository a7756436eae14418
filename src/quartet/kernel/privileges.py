"""From root to an ordinary user: a container starts as root only to hand over its folders."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from quartet.kernel.settings import SettingsError

# The highest id means "leave it as it is" to the system.
HIGHEST_ID = 2**32 - 2


def drop_privileges(folders: Iterable[Path], environ: Mapping[str, str]) -> None:
    """Root with a PUID goes on as that user; for anybody else only UMASK counts."""
    user = _number(environ, "PUID", base=10, highest=HIGHEST_ID)
    group = _number(environ, "PGID", base=10, highest=HIGHEST_ID)
    umask = _number(environ, "UMASK", base=8, highest=0o777)
    if umask is not None:
        os.umask(umask)
    if user is None or os.geteuid() != 0:
        return
    group = user if group is None else group
    for folder in folders:
        _hand_over(folder, user, group)
    os.setgroups([])
    os.setgid(group)
    os.setuid(user)


def _number(environ: Mapping[str, str], name: str, *, base: int, highest: int) -> int | None:
    text = environ.get(name, "")
    if not text:
        return None
    digits = "[0-7]{1,4}" if base == 8 else "[0-9]{1,10}"
    if not re.fullmatch(digits, text) or int(text, base) > highest:
        raise SettingsError(f"{name} cannot be {text!r}")
    return int(text, base)


def _hand_over(folder: Path, user: int, group: int) -> None:
    """The folder and what lies directly in it: a whole tree could take minutes at each start."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _give(folder, user, group)
        for path in folder.iterdir():
            # Never what a link points to: that may lie outside.
            _give(path, user, group, follow_symlinks=False)
    except OSError as error:
        raise SettingsError(f"cannot hand {folder} over to {user}:{group}: {error}") from error


def _give(path: Path, user: int, group: int, *, follow_symlinks: bool = True) -> None:
    now = path.stat(follow_symlinks=follow_symlinks)
    if (now.st_uid, now.st_gid) != (user, group):
        os.chown(path, user, group, follow_symlinks=follow_symlinks)
