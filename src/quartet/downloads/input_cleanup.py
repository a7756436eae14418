"""Cleans up user input: names, folders and passwords."""

import re
from collections.abc import Iterable
from pathlib import Path

from quartet.kernel.files import safe_name

_LEAVES = ("", ".", "..")


def clean_text(text: str, *, keep_blanks: bool = False) -> str:
    """Remove NUL, which PostgreSQL rejects, and surrounding spaces unless `keep_blanks` is set."""
    text = text.replace("\0", "")
    return text if keep_blanks else text.strip()


def target_dir(text: str, done: Path | None = None) -> str:
    """Return a safe path below the done folder; with `done`, its absolute path is left out."""
    if done and f"{text.strip()}/".startswith(f"{done.absolute()}/"):
        text = text.strip().removeprefix(str(done.absolute()))
    parts = (part.strip() for part in re.split(r"[/\\]", text))
    return "/".join(safe_name(part) for part in parts if part not in _LEAVES)


def password_list(given: Iterable[str] | str | None) -> list[str]:
    """Return the passwords from a list or from lines of text, without blanks and duplicates."""
    lines = given.splitlines() if isinstance(given, str) else given or ()
    return list(dict.fromkeys(line for line in lines if line.strip()))
