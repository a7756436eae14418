"""The gate before each deletion and each replacement of a file on the hub.

Syncthing has no way to ask before it follows a change of another device. But it calls a command
before it deletes or replaces a file, to keep the old version, and keeps the file if the command
fails. The command is `gate.sh`, which waits for this process to allow the file.
"""

import os
import shlex
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

SCRIPT = Path(__file__).with_name("gate.sh")
SHELL = Path("/bin/sh")
KINDS = ("asked", "allowed", "taken", "checking", "held", "passed")
# Ends the name in a file of `passed`.
COMPLETE = "//"
# The commands use the clock for this long.
CLOCK_VALID_SECONDS = 3.0


class Gate:
    """Its methods block for a few operations on small files; `allow` for one for each file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.clock = folder / "clock"

    @property
    def works(self) -> bool:
        """False on systems without a POSIX shell."""
        return sys.platform != "win32" and SHELL.exists()

    def prepare(self) -> None:
        """Close all folders; called before the engine starts."""
        shutil.rmtree(self._folder, ignore_errors=True)
        for kind in KINDS:
            (self._folder / kind).mkdir(mode=0o700, parents=True, exist_ok=True)

    def command(self, folder: str) -> str:
        """Return the command for Syncthing's configuration."""
        words = [str(SHELL), str(SCRIPT), str(self._folder), folder]
        return f"{shlex.join(words)} %FOLDER_PATH% %FILE_PATH%"

    def asked(self) -> list[str]:
        """Return the folders whose changes wait."""
        return sorted(each.name for each in (self._folder / "asked").iterdir())

    def allow(self, folder: str, paths: Iterable[str]) -> None:
        """Let exactly these files pass, each of them once; every other one waits."""
        self.close(folder)
        allowed, taken = self._file("allowed", folder), self._file("taken", folder)
        # The files in a folder first: a file may replace the folder, which does not wait.
        for path in sorted(paths, key=lambda each: each.count("/"), reverse=True):
            if ".." in PurePosixPath(path).parts or path.startswith("/"):
                continue
            # A name that is too long here is too long for a version as well.
            with suppress(OSError):
                for place in (taken, allowed):
                    (place / path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                (allowed / path).touch()
        self._file("checking", folder).unlink(missing_ok=True)
        self._file("asked", folder).unlink(missing_ok=True)

    def wait(self, folder: str) -> None:
        """Let the waiting changes wait for as long as the check takes."""
        self._file("checking", folder).touch()

    def close(self, folder: str) -> None:
        for kind in ("allowed", "taken"):
            shutil.rmtree(self._file(kind, folder), ignore_errors=True)

    def set_clock(self) -> None:
        """Tell the commands the time, which a shell can find out only with another program."""
        now = time.time()
        part = self.clock.with_suffix(".part")
        part.write_text(time.strftime("%Y%m%d-%H%M%S\n", time.gmtime(now)))
        os.utime(part, times=(now, now + CLOCK_VALID_SECONDS))
        part.rename(self.clock)

    def hold(self, folder: str) -> None:
        """Refuse the waiting changes."""
        self._file("held", folder).touch()
        self.close(folder)
        self._file("checking", folder).unlink(missing_ok=True)
        self._file("asked", folder).unlink(missing_ok=True)

    def unhold(self, folder: str) -> None:
        self._file("held", folder).unlink(missing_ok=True)
        self._file("asked", folder).unlink(missing_ok=True)

    @contextmanager
    def interrupted(self) -> Iterator[None]:
        """Refuse what waits for now: Syncthing stops a folder only after its waiting changes."""
        mark = self._folder / "interrupted"
        mark.touch()
        try:
            yield
        finally:
            mark.unlink(missing_ok=True)

    def take_passed(self, folder: str) -> list[str]:
        """Return the files that have passed since the last call."""
        names = []
        for each in (self._folder / "passed").iterdir():
            number, _, of = each.name.partition(".")
            if number and of == folder:
                name = each.read_text(errors="surrogateescape")
                if name.endswith(COMPLETE):
                    names.append(name.removesuffix(COMPLETE))
                    each.unlink()
        return names

    def _file(self, kind: str, folder: str) -> Path:
        return self._folder / kind / folder
