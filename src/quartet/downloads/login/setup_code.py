"""The code that the first set-up asks for.

Without it, the first request would take over a new service, and a web page open in any browser that
reaches the service could send it. Only the owner can read the log and the data folder.
"""

import os
import secrets
from pathlib import Path

from quartet.kernel.auth import secrets_match

FILE_NAME = "setup-code"
# Without characters that look alike.
_ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"


class SetupCode:
    """Stored in the data folder, so that it survives restarts and all processes agree. Blocks."""

    def __init__(self, data: Path) -> None:
        self._path = data / FILE_NAME

    def current(self) -> str:
        try:
            return self._path.read_text()
        except FileNotFoundError:
            return self._create()

    def matches(self, given: str) -> bool:
        # Another process that creates the file may not have written it yet.
        code = _normal(self.current())
        return bool(code) and secrets_match(_normal(given), code)

    def discard(self) -> None:
        self._path.unlink(missing_ok=True)

    def _create(self) -> str:
        code = "-".join("".join(secrets.choice(_ALPHABET) for _ in range(4)) for _ in range(2))
        try:
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            # Another process was faster.
            return self._path.read_text()
        with os.fdopen(file, "w") as opened:
            opened.write(code)
        return code


def _normal(code: str) -> str:
    return code.replace("-", "").replace(" ", "").upper()
