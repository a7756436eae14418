"""What people type: names, folders below the done folder, passwords."""

import re
from collections.abc import Iterable

from quartet.kernel.files import safe_name

_LEAVES = ("", ".", "..")


def plain(text: str, *, keep_blanks: bool = False) -> str:
    """PostgreSQL holds no NUL; blanks around a name are slips, in a password they count."""
    text = text.replace("\0", "")
    return text if keep_blanks else text.strip()


def target_dir(text: str) -> str:
    """Each part made safe; what would lead elsewhere is dropped."""
    parts = (part.strip() for part in re.split(r"[/\\]", text))
    return "/".join(safe_name(part) for part in parts if part not in _LEAVES)


def password_list(given: Iterable[str] | str | None) -> list[str]:
    """From a list or from text with one on each line; no blanks, none twice."""
    lines = given.splitlines() if isinstance(given, str) else given or ()
    return list(dict.fromkeys(line for line in lines if line.strip()))
