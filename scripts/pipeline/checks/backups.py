"""A backup of every demo is restored into another place and contains the same rows."""

import sqlite3
import sys
import tarfile
import tempfile
from pathlib import Path

from pipeline.checks.installed import run, serving, until

NAMES = ("downloads", "sync", "media", "wind")
PREFIXES = ("DOWNLOADS", "DOWNLOADS_CNL", "SYNC", "APP", "WIND")
PORTS = {f"{each}_PORT": "0" for each in PREFIXES}
SMALL = {"WIND_DEMO_SIZE": "tiny", "WIND_MODELS": "icon-d2", "DOWNLOADS_TORRENT_PORT": "0"}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        data = ("--data", str(place / "data"))
        with serving(place, "--demo", *data, variables={**SMALL, **PORTS}):
            for name in ("downloads", "media"):
                until((place / "data" / name / "demo-filled").exists)
        total = sum(rows_after_restore(place, name) for name in NAMES)
    print(f"{total} rows are equal after backup and restore")


def rows_after_restore(place: Path, name: str) -> int:
    first, second = place / f"{name}-1.tar.gz", place / f"{name}-2.tar.gz"
    run("backup", name, str(first), "--data", str(place / "data"), cwd=place)
    run("restore", name, str(first), "--data", str(place / "other"), cwd=place)
    run("backup", name, str(second), "--data", str(place / "other"), cwd=place)
    before, after = rows(first), rows(second)
    if before != after:
        sys.exit(f"{name}: {len(before ^ after)} rows differ after the restore")
    return len(before)


def rows(backup: Path) -> set[str]:
    """Return every row of the database in a backup as SQL."""
    with tempfile.TemporaryDirectory() as folder, tarfile.open(backup) as archive:
        for member in archive.getmembers():
            if member.isfile() and member.name.endswith(".sqlite3"):
                content = archive.extractfile(member)
                assert content is not None
                (Path(folder) / "copy").write_bytes(content.read())
        with sqlite3.connect(Path(folder) / "copy") as database:
            return {line for line in database.iterdump() if line.startswith("INSERT")}


if __name__ == "__main__":
    main()
