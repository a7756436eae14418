"""Verifies a backup by restoring it to a temporary folder. Blocks."""

import shutil
import tempfile
from pathlib import Path

import msgspec

from quartet.kernel.backup import DATABASE, BackedUpService, BackupError, Manifest, restore
from quartet.kernel.db import migrate, open_database
from quartet.kernel.db.maintenance import is_intact
from quartet.kernel.errors import Problem
from quartet.kernel.settings import Settings

REHEARSAL = ".rehearsal-"


def verify(service: BackedUpService, settings: Settings, file: Path) -> Manifest:
    """Check the checksums, restore everything, check the database and migrate it."""
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=REHEARSAL) as folder:
        data = Path(folder) / "data"
        temporary = msgspec.structs.replace(settings, data=data, database_url=None)
        manifest = restore(service, temporary, file)
        _check_database(service, data)
    return manifest


def remove_leftovers(folder: Path) -> None:
    """Delete what a killed process left in the folder of the backups."""
    for pattern in (f"{REHEARSAL}*", ".backup-*"):
        for left in folder.glob(pattern):
            shutil.rmtree(left, ignore_errors=True)
    for left in folder.glob("*.tar.gz.partial"):
        left.unlink(missing_ok=True)


def _check_database(service: BackedUpService, data: Path) -> None:
    db = open_database(data, service.name)
    try:
        if not is_intact(db):
            raise BackupError(
                "the database in the backup is damaged",
                Problem("backup_damaged", {"name": DATABASE}),
            )
        migrate(db, service.history)
    finally:
        db.close()
