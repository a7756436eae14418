from typing import Any

from litestar import delete, get, post
from litestar.params import FromPath
from litestar.response import File

from quartet.kernel.backups.types import BackupFile, BackupState
from quartet.kernel.service import Kernel
from quartet.kernel.web import Injected


@get("/api/system/backups", opt={"admin": True})
async def list_backups(kernel: Injected[Kernel[Any]]) -> BackupState:
    """Return the schedule, its state, and all backups."""
    return await kernel.backups.state()


@post("/api/system/backups", opt={"admin": True})
async def make_backup(kernel: Injected[Kernel[Any]]) -> BackupFile:
    """Write a backup now and verify it."""
    return await kernel.backups.make()


@get(
    "/api/system/backups/{name:str}/file",
    opt={"admin": True},
    audit="backup_downloaded",
    media_type="application/gzip",
)
async def download_backup(name: FromPath[str], kernel: Injected[Kernel[Any]]) -> File:
    """Download a backup. It contains all data and keys of the service."""
    path = await kernel.backups.path_of(name)
    return File(path, filename=path.name, media_type="application/gzip")


@delete("/api/system/backups/{name:str}", opt={"admin": True}, audit="deleted")
async def delete_backup(name: FromPath[str], kernel: Injected[Kernel[Any]]) -> None:
    """Delete a backup."""
    await kernel.backups.remove(name)


@post(
    "/api/system/backups/{name:str}/restore",
    status_code=200,
    opt={"admin": True},
    audit="restore_requested",
)
async def restore_backup(name: FromPath[str], kernel: Injected[Kernel[Any]]) -> BackupState:
    """Check a backup and restore it at the next start. The current data is kept."""
    return await kernel.backups.request_restore(name)


@delete(
    "/api/system/backups/{name:str}/restore",
    status_code=200,
    opt={"admin": True},
    audit="restore_cancelled",
)
async def cancel_restore(name: FromPath[str], kernel: Injected[Kernel[Any]]) -> BackupState:
    """Do not restore the backup at the next start."""
    return await kernel.backups.cancel_restore(name)


ROUTES = [
    list_backups,
    make_backup,
    download_backup,
    delete_backup,
    restore_backup,
    cancel_restore,
]
