"""Every service starts alone and answers; all four start as a demo."""

import sys
import tempfile
from pathlib import Path

from pipeline.checks.installed import free_port, run, serving, status

NAMES = ("downloads", "sync", "media", "wind")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        print(run("--version", cwd=place).strip())
        for name in NAMES:
            quiet = {"DOWNLOADS_CNL_PORT": "0", "SYNC_HUB": "false", "DOWNLOADS_TORRENT_PORT": "0"}
            with serving(place, name, "--port", str(free_port()), variables=quiet) as addresses:
                for path in ("/", "/api/health", "/api/docs"):
                    if (code := status(addresses[name] + path)) != 200:
                        sys.exit(f"{name}: {path} answered {code}")
    print("started: " + ", ".join(NAMES))


if __name__ == "__main__":
    main()
