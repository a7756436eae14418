from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Select, case, delete, insert, select, update

from quartet.downloads.extraction.tables import extractions
from quartet.downloads.extraction.types import (
    ArchivePiece,
    ExtractedArchive,
    ExtractionSettings,
    PackageToExtract,
    State,
)
from quartet.downloads.options.store import options
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.packages.types import Extract
from quartet.kernel.batches import in_batches
from quartet.kernel.clock import now_ms
from quartet.kernel.errors import Problem

_ACTIVE = ("pending", "running")
# More would not be read.
MOST_NOTES = 50


def queue_package(conn: Connection, package_id: int) -> bool:
    """Queue a package; return False if it is being extracted already or was deleted."""
    query = update(packages).where(
        packages.c.id == package_id, packages.c.extract.is_distinct_from("running")
    )
    values: dict[str, Any] = {"extract": "pending", "extract_error": None, "extract_notes": None}
    if not conn.execute(query.values(**values)).rowcount:
        return False
    failed = delete(extractions).where(extractions.c.state == "failed")
    conn.execute(failed.where(extractions.c.package_id == package_id))
    return True


def names_of(conn: Connection, package_id: int) -> list[str]:
    query = select(downloads.c.name).where(downloads.c.package_id == package_id)
    return list(conn.execute(query).scalars())


def queue_archives(conn: Connection, paths: Iterable[str]) -> None:
    """Queue archives that the user chose; running extractions are not changed."""
    for path in paths:
        busy = extractions.c.state.in_(("running", "clearing"))
        kept = select(extractions.c.path).where(extractions.c.path == path, busy)
        if conn.execute(kept).first() is None:
            _put(conn, path, None, "pending")


def next_archive(conn: Connection, waiting: Collection[str]) -> str | None:
    query = (
        select(extractions.c.path)
        .where(extractions.c.state == "pending")
        .order_by(extractions.c.asked_at, extractions.c.path)
        .limit(len(waiting) + 1)
    )
    paths = conn.execute(query).scalars().all()
    return next((path for path in paths if path not in waiting), None)


def next_package(conn: Connection, waiting: Collection[int]) -> PackageToExtract | None:
    """Return the package that is being extracted, or the next queued one."""
    query = (
        select(packages.c.id, packages.c.extract)
        # While files move from a former folder, the volumes of a set are in two folders.
        .where(packages.c.extract.in_(_ACTIVE), packages.c.moved_from.is_(None))
        .order_by(case((packages.c.extract == "running", 0), else_=1), packages.c.position)
        .limit(len(waiting) + 1)
    )
    rows = conn.execute(query).all()
    row = next((row for row in rows if row.id not in waiting), None)
    if row is None:
        return None
    own = _pieces(conn, downloads.c.package_id == row.id)
    folders = {piece.target_dir for piece in own} | {
        piece.file.rpartition("/")[0] for piece in own if piece.file
    }
    others = [
        piece
        for some in in_batches(sorted(folders))
        for piece in _pieces(
            conn, packages.c.target_dir.in_(some), downloads.c.package_id != row.id
        )
    ]
    settled = select(extractions.c.path).where(
        extractions.c.package_id == row.id, extractions.c.state.in_(("unpacked", "failed"))
    )
    return PackageToExtract(
        row.id,
        row.extract == "running",
        own + others,
        set(conn.execute(settled).scalars()),
    )


def pieces_in(conn: Connection, folder: str) -> list[ArchivePiece]:
    """Return the downloads of packages that use this folder."""
    return _pieces(conn, packages.c.target_dir == folder)


def _pieces(conn: Connection, *which: ColumnElement[bool]) -> list[ArchivePiece]:
    columns = (*(downloads.c[name] for name in ArchivePiece._fields[:-1]), packages.c.target_dir)
    query: Select[Any] = (
        select(*columns)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(*which)
        .order_by(downloads.c.id)
    )
    return [ArchivePiece(*row) for row in conn.execute(query)]


def passwords(conn: Connection, package_id: int | None) -> list[str]:
    query = select(packages.c.passwords).where(packages.c.id == package_id)
    return conn.execute(query).scalar_one_or_none() or []


def settings_for(conn: Connection, package_id: int | None) -> ExtractionSettings:
    query = select(packages.c.extract_nested).where(packages.c.id == package_id)
    of_package: bool | None = conn.execute(query).scalar_one_or_none()
    general = options(conn)
    nested = general.extract_nested if of_package is None else of_package
    return ExtractionSettings(nested, general.delete_archives)


def add_notes(conn: Connection, package_id: int | None, notes: Collection[Problem]) -> None:
    this = packages.c.id == package_id
    found = conn.execute(select(packages.c.extract_notes).where(this)).scalar_one_or_none()
    both = [*(found or []), *notes][:MOST_NOTES]
    conn.execute(update(packages).where(this).values(extract_notes=both))


def begin(conn: Connection, path: str, package_id: int) -> None:
    _put(conn, path, package_id, "running")


def begin_picked(conn: Connection, asked: str, path: str) -> None:
    delete_extractions(conn, [asked])
    _put(conn, path, None, "running")


def set_state(
    conn: Connection,
    path: str,
    state: State,
    *,
    error: Problem | None = None,
    files: Sequence[str] = (),
) -> bool:
    """Store the state; return False if the extraction is no longer wanted."""
    query = update(extractions).where(extractions.c.path == path)
    return conn.execute(query.values(state=state, error=error, files=files)).rowcount > 0


def is_wanted(conn: Connection, path: str) -> bool:
    query = select(extractions.c.path).where(extractions.c.path == path)
    return conn.execute(query).first() is not None


def unpacked(
    conn: Connection, state: State, package_id: int | None = None
) -> list[ExtractedArchive]:
    """Return the archives in this state, of one package or of all."""
    columns = (extractions.c[name] for name in ExtractedArchive._fields)
    query = select(*columns).where(extractions.c.state == state)
    if package_id is not None:
        query = query.where(extractions.c.package_id == package_id)
    return [ExtractedArchive(*row) for row in conn.execute(query)]


def errors_of(conn: Connection, package_id: int) -> list[Problem]:
    query = (
        select(extractions.c.error)
        .where(extractions.c.package_id == package_id, extractions.c.state == "failed")
        .order_by(extractions.c.path)
    )
    return [msgspec.convert(error, Problem) for error in conn.execute(query).scalars()]


def failures(conn: Connection) -> dict[str, Problem]:
    query = select(extractions.c.path, extractions.c.error).where(extractions.c.state == "failed")
    return {row.path: msgspec.convert(row.error, Problem) for row in conn.execute(query)}


def delete_extractions(conn: Connection, paths: Collection[str]) -> None:
    conn.execute(delete(extractions).where(extractions.c.path.in_(paths)))


def delete_package_extractions(conn: Connection, package_id: int) -> None:
    conn.execute(delete(extractions).where(extractions.c.package_id == package_id))


def set_package(
    conn: Connection, package_id: int, state: Extract | None, error: Problem | None = None
) -> bool:
    """Set the state of a package; return False if it was deleted."""
    query = update(packages).where(packages.c.id == package_id)
    return conn.execute(query.values(extract=state, extract_error=error)).rowcount > 0


def serves_package(conn: Connection, path: str, owner: int | None) -> bool:
    """Return whether the package still needs the entry of this archive.

    An archive chosen by the user may be the reason why its package failed; that one is queued
    again.
    """
    query = update(packages).where(packages.c.id == owner, packages.c.extract == "failed")
    if conn.execute(query.values(extract="pending", extract_error=None)).rowcount:
        owned = update(extractions).where(extractions.c.path == path)
        conn.execute(owned.values(package_id=owner))
    kept = select(extractions.c.package_id).where(extractions.c.path == path)
    return conn.execute(kept).scalar_one_or_none() is not None


def downloads_of_files(conn: Connection, files: Collection[str]) -> list[int]:
    query = select(downloads.c.id).where(
        downloads.c.status == "finished", downloads.c.file.in_(files)
    )
    return list(conn.execute(query).scalars())


def clear_files(conn: Connection, files: Collection[str]) -> None:
    query = update(downloads).where(downloads.c.status == "finished", downloads.c.file.in_(files))
    conn.execute(query.values(file=None))


def running(conn: Connection) -> list[str]:
    query = select(extractions.c.path).where(extractions.c.state == "running")
    return list(conn.execute(query).scalars())


def requeue_running(conn: Connection) -> None:
    """Requeue the extractions that a previous process did not finish."""
    query = update(packages).where(packages.c.extract == "running")
    conn.execute(query.values(extract="pending"))
    cut_off = extractions.c.state == "running"
    owned = extractions.c.package_id.is_not(None)
    conn.execute(delete(extractions).where(cut_off, owned))
    conn.execute(update(extractions).where(cut_off).values(state="pending"))


def _put(conn: Connection, path: str, package_id: int | None, state: State) -> None:
    delete_extractions(conn, [path])
    now = now_ms()
    row: dict[str, Any] = {
        "path": path,
        "package_id": package_id,
        "state": state,
        "files": [],
        "asked_at": now,
    }
    conn.execute(insert(extractions).values(**row))


def requeue(conn: Connection, path: str) -> int | None:
    """Requeue an archive; return the package it belongs to, if any."""
    query = select(extractions.c.package_id).where(extractions.c.path == path)
    package_id = conn.execute(query).scalar_one_or_none()
    if package_id is None:
        set_state(conn, path, "pending")
    else:
        delete_extractions(conn, [path])
        set_package(conn, package_id, "pending")
    return package_id


def is_awaited(conn: Connection, path: str, package_id: int | None) -> bool:
    """Return False if the package was deleted or the archive is no longer wanted."""
    if package_id is None:
        return is_wanted(conn, path)
    query = select(packages.c.id).where(packages.c.id == package_id)
    return conn.execute(query).first() is not None


def fail(conn: Connection, path: str, package_id: int | None, problem: Problem) -> None:
    if package_id is not None and is_awaited(conn, path, package_id):
        begin(conn, path, package_id)
    set_state(conn, path, "failed", error=problem)
