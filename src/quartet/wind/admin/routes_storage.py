from litestar import delete, get, post
from litestar.params import FromPath
from litestar.response import File

from quartet.kernel.backups.types import BackupFile
from quartet.kernel.push.service import Push
from quartet.kernel.web import Injected
from quartet.wind.accounts.current_user import ADMIN
from quartet.wind.admin.storage import (
    AdminStorage,
    NewPushKey,
    Pruned,
    StorageAdmin,
    Vacuumed,
)


@get("/api/admin/storage", **ADMIN)
async def admin_storage(storage_admin: Injected[StorageAdmin]) -> AdminStorage:
    """Disk usage and existing backups."""
    return await storage_admin.state()


@post("/api/admin/storage/vacuum", status_code=200, **ADMIN)
async def admin_vacuum(storage_admin: Injected[StorageAdmin]) -> Vacuumed:
    """Return unused space of the database to the disk."""
    return await storage_admin.vacuum()


@post("/api/admin/storage/prune", status_code=200, audit="deleted", **ADMIN)
async def admin_prune(storage_admin: Injected[StorageAdmin]) -> Pruned:
    """Delete expired data now."""
    return await storage_admin.prune()


@post("/api/admin/storage/backup", **ADMIN)
async def admin_backup(storage_admin: Injected[StorageAdmin]) -> BackupFile:
    """Create a backup; the oldest ones above the limit are deleted."""
    return await storage_admin.backups.make()


@get(
    "/api/admin/storage/backup/{name:str}",
    audit="backup_downloaded",
    media_type="application/gzip",
    **ADMIN,
)
async def admin_backup_download(name: FromPath[str], storage_admin: Injected[StorageAdmin]) -> File:
    """Download a backup."""
    path = await storage_admin.backups.path_of(name)
    return File(path, filename=path.name, media_type="application/gzip")


@delete("/api/admin/storage/backup/{name:str}", audit="deleted", **ADMIN)
async def admin_backup_delete(name: FromPath[str], storage_admin: Injected[StorageAdmin]) -> None:
    """Delete a backup."""
    await storage_admin.backups.remove(name)


@post("/api/admin/storage/push-key", status_code=200, **ADMIN)
async def admin_push_key(push: Injected[Push]) -> NewPushKey:
    """Create a new key for push messages. Every browser has to subscribe again."""
    removed = await push.new_key()
    return NewPushKey(await push.public_key(), removed)


ROUTES = [
    admin_storage,
    admin_vacuum,
    admin_prune,
    admin_backup,
    admin_backup_download,
    admin_backup_delete,
    admin_push_key,
]
