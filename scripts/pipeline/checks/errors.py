"""Everyday errors end a start with one line that says what to do, without a traceback.

Usage: errors QUARTET QUARTET-WITHOUT-EXTRAS, as a user without root rights.
"""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from pipeline.checks.installed import START_SECONDS, quartet

# Nothing listens on this port.
STOPPED_DATABASE = "postgresql://quartet:secret@127.0.0.1:1/quartet"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, socket.socket() as other:
        place = Path(folder)
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = ("--port", str(other.getsockname()[1]))
        (place / "locked").mkdir(mode=0o500)
        locked = ("--data", str(place / "locked"))
        ends(place, " is free", *taken)
        # Root may write everywhere.
        if os.geteuid() != 0:
            ends(place, "Permission denied", *locked)
        ends(place, "the database is unavailable", DATABASE_URL=STOPPED_DATABASE)
        ends(place, "must start with postgresql://", DATABASE_URL="mysql://quartet@127.0.0.1/x")
        ends(place, "install Quartet with its extra", program=sys.argv[2])
    print("every error is one line that says what to do")


def ends(
    place: Path, message: str, *arguments: str, program: str | None = None, **variables: str
) -> None:
    done = subprocess.run(
        [program or quartet(), "serve", "downloads", *arguments],
        cwd=place,
        env={**os.environ, "DOWNLOADS_CNL_PORT": "0", **variables},
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
    )
    said = done.stdout + done.stderr
    if not done.returncode or message not in said or "Traceback" in said or "secret" in said:
        sys.exit(f"instead of {message!r} ({done.returncode}): {said[-2000:]}")


if __name__ == "__main__":
    main()
