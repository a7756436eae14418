from typing import Annotated

from litestar import delete, get, post
from litestar.params import FromPath, QueryParameter

from quartet.kernel.web import Injected, JSONBody
from quartet.media.history.backups import Backups
from quartet.media.history.service import History
from quartet.media.history.types import (
    BackupPage,
    ChosenBackups,
    DeletedBackups,
    HistoryFile,
    HistoryImportPreview,
    HistoryPage,
    ImportedHistory,
    Undo,
    Undone,
)
from quartet.media.types import LARGEST_ID

LONGEST_PAGE = 200

Cursor = Annotated[int | None, QueryParameter(ge=1, le=LARGEST_ID)]
Limit = Annotated[int, QueryParameter(ge=1, le=LONGEST_PAGE)]


@get("/api/history")
async def list_history(
    history: Injected[History],
    cursor: Cursor = None,
    q: Annotated[str, QueryParameter(max_length=200, pattern=r"^[^\x00]*$")] = "",
    include_undone: Annotated[bool, QueryParameter(name="includeUndone")] = False,
    limit: Limit = LONGEST_PAGE,
) -> HistoryPage:
    """Lists file operations, newest first; `q` searches old and new paths."""
    return await history.page(cursor, q, include_undone, limit)


@post("/api/history/undo", status_code=200)
async def undo(data: JSONBody[Undo], history: Injected[History]) -> Undone:
    """Undoes a job, items, single operations or everything since a point in time."""
    return await history.undo(data)


@post("/api/history/import", status_code=200)
async def import_history(
    data: JSONBody[HistoryFile], history: Injected[History]
) -> ImportedHistory:
    """Adds the files that FileBot renamed, from its `history.xml`."""
    return await history.import_filebot(data)


@post("/api/history/import/preview", status_code=200)
async def preview_import(
    data: JSONBody[HistoryFile], history: Injected[History]
) -> HistoryImportPreview:
    """Lists which files of FileBot's `history.xml` would be added."""
    return await history.preview_filebot(data)


@get("/api/backups")
async def list_backups(
    backups: Injected[Backups], cursor: Cursor = None, limit: Limit = LONGEST_PAGE
) -> BackupPage:
    """Lists replaced files and junk, newest first."""
    return await backups.page(cursor, limit)


@delete("/api/backups/{backup_id:int}", status_code=204, audit="deleted")
async def delete_backup(backup_id: FromPath[int], backups: Injected[Backups]) -> None:
    """Deletes a backup permanently."""
    await backups.delete(backup_id)


@post("/api/backups/delete", status_code=200, audit="deleted")
async def delete_backups(
    data: JSONBody[ChosenBackups], backups: Injected[Backups]
) -> DeletedBackups:
    """Deletes several backups permanently."""
    return await backups.delete_many(data)


ROUTES = [
    list_history,
    undo,
    import_history,
    preview_import,
    list_backups,
    delete_backup,
    delete_backups,
]
