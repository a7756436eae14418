"""The gate before each deletion and each replacement of a file on the hub.

Syncthing has no way to ask before it follows a change of another device. But it calls a command
before it deletes or replaces a file, to keep the old version, and keeps the file if the command
fails. The command is `gate.sh`, which waits for this process to open the folder.
"""

import shlex
import sys
from pathlib import Path

SCRIPT = Path(__file__).with_name("gate.sh")
SHELL = Path("/bin/sh")
KINDS = ("asked", "open", "held", "tokens", "passed")
# Known to the script.
MOST_TOKENS = 10


class Gate:
    """Its methods block, but only for a few operations on small files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def works(self) -> bool:
        """False on systems without a POSIX shell."""
        return sys.platform != "win32" and SHELL.exists()

    def prepare(self) -> None:
        """Close all folders; called before the engine starts."""
        for kind in KINDS:
            place = self._folder / kind
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            for each in place.iterdir():
                each.unlink()

    def command(self, folder: str) -> str:
        """Return the command for Syncthing's configuration."""
        words = [str(SHELL), str(SCRIPT), str(self._folder), folder]
        return f"{shlex.join(words)} %FOLDER_PATH% %FILE_PATH%"

    def asked(self) -> list[str]:
        """Return the folders whose changes wait."""
        return sorted(each.name for each in (self._folder / "asked").iterdir())

    def open(self, folder: str) -> None:
        self._file("held", folder).unlink(missing_ok=True)
        self._file("open", folder).touch()
        self._file("asked", folder).unlink(missing_ok=True)

    def open_for(self, folder: str, count: int) -> None:
        """Let only this number of files pass, so that nothing follows a small change unseen."""
        for number in range(1, MOST_TOKENS + 1):
            token = self._file("tokens", f"{folder}.{number}")
            if number <= count:
                token.touch()
            else:
                token.unlink(missing_ok=True)
        self._file("asked", folder).unlink(missing_ok=True)

    def close(self, folder: str) -> None:
        self.open_for(folder, 0)
        self._file("open", folder).unlink(missing_ok=True)

    def hold(self, folder: str) -> None:
        """Refuse the waiting changes."""
        self._file("held", folder).touch()
        self.close(folder)
        self._file("asked", folder).unlink(missing_ok=True)

    def unhold(self, folder: str) -> None:
        self._file("held", folder).unlink(missing_ok=True)
        self._file("asked", folder).unlink(missing_ok=True)

    def take_passed(self, folder: str) -> list[str]:
        """Return the files that have passed since the last call."""
        names = []
        for each in (self._folder / "passed").iterdir():
            number, _, of = each.name.partition(".")
            # Names without a number are not complete.
            if number and of == folder:
                names.append(each.read_text(errors="surrogateescape"))
                each.unlink()
        return names

    def _file(self, kind: str, folder: str) -> Path:
        return self._folder / kind / folder
