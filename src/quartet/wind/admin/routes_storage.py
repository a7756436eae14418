from litestar import delete, get, post
from litestar.params import FromPath
from litestar.response import File

from quartet.kernel.web import Injected
from quartet.wind.accounts.asking import ADMIN
from quartet.wind.admin.backups import Backup
from quartet.wind.admin.storage import AdminStorage, NewPushKey, Pruned, Storage, Vacuumed
from quartet.wind.push.service import Push
from quartet.wind.site.service import SiteSettings


@get("/api/admin/storage", **ADMIN)
async def admin_storage(storage: Injected[Storage]) -> AdminStorage:
    """Who takes how much room, and the backups there are."""
    return await storage.state()


@post("/api/admin/storage/vacuum", status_code=200, **ADMIN)
async def admin_vacuum(storage: Injected[Storage]) -> Vacuumed:
    """Gives room that the database does not need back to the disk."""
    return await storage.vacuum()


@post("/api/admin/storage/prune", status_code=200, **ADMIN)
async def admin_prune(storage: Injected[Storage]) -> Pruned:
    """Deletes what is too old, now."""
    return await storage.prune()


@post("/api/admin/storage/backup", **ADMIN)
async def admin_backup(storage: Injected[Storage], site_settings: Injected[SiteSettings]) -> Backup:
    """Makes a backup; the oldest are deleted when there are too many."""
    return await storage.backups.make((await site_settings.get()).backups_kept)


@get("/api/admin/storage/backup/{name:str}", **ADMIN)
async def admin_backup_download(name: FromPath[str], storage: Injected[Storage]) -> File:
    """A backup as a file."""
    path = await storage.backups.path_of(name)
    return File(path, filename=path.name, media_type="application/gzip")


@delete("/api/admin/storage/backup/{name:str}", **ADMIN)
async def admin_backup_delete(name: FromPath[str], storage: Injected[Storage]) -> None:
    """Deletes a backup."""
    await storage.backups.remove(name)


@post("/api/admin/storage/push-key", status_code=200, **ADMIN)
async def admin_push_key(push: Injected[Push]) -> NewPushKey:
    """Another key for push messages: every browser has to subscribe anew."""
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
