"""SQL that reads packages with their downloads and sums, page by page."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    case,
    false,
    func,
    or_,
    select,
    true,
)

from quartet.downloads.bittorrent.store import info_hashes
from quartet.downloads.packages.sections import (
    OpenQuestions,
    Section,
    download_section,
    package_section,
)
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.packages.types import (
    Download,
    Package,
    PageCursor,
    PageQuery,
    Summary,
    View,
)
from quartet.kernel.batches import in_batches
from quartet.kernel.errors import Problem

# The columns of a download, which `download_of` needs in this order.

DOWNLOAD_COLUMNS = [
    downloads.c[field] for field in Download.__struct_fields__ if field != "section"
]
_STATUS, _ONLINE, _ERROR, _HASH_OK = map(
    Download.__struct_fields__.index, ("status", "online", "error", "hash_ok")
)
_NOTHING_ASKED = OpenQuestions()


def page(
    conn: Connection, wanted: PageQuery, asking: OpenQuestions = _NOTHING_ASKED
) -> tuple[list[Package], PageCursor | None]:
    """Return a page of packages with their downloads, and the position of the next page."""
    # On SQLite, LIKE is case-insensitive, so no lower-case copies of the texts are needed.
    folded = conn.dialect.name == "sqlite"
    rows = conn.execute(_page_query(wanted, folded=folded)).all()
    shown = rows[: wanted.limit]
    found = _grouped(conn, shown, asking)
    if wanted.limit is None or len(rows) <= wanted.limit:
        return found, None
    last = found[-1]
    return found, PageCursor(last.position, last.id, last.downloads[-1].position)


def some(
    conn: Connection,
    view: View | None,
    ids: Collection[int],
    download_ids: Collection[int],
    asking: OpenQuestions = _NOTHING_ASKED,
) -> list[Package]:
    """Return these packages and those of the downloads, as far as they are in the view."""
    rows: list[Row[Any]] = []
    for some_ids in in_batches(list(download_ids)):
        rows += conn.execute(select(*DOWNLOAD_COLUMNS).where(downloads.c.id.in_(some_ids))).all()
    by_package: dict[int, list[Download]] = {id: [] for id in ids}
    for row in rows:
        by_package.setdefault(row.package_id, []).append(download_of(row, asking))
    found = [
        msgspec.structs.replace(package, downloads=by_package[package.id])
        for package in _packages(conn, by_package, asking).values()
    ]
    return [each for each in found if view is None or each.collector == (view == "collector")]


def _page_query(wanted: PageQuery, *, folded: bool) -> Select[Any]:
    query = (
        select(*DOWNLOAD_COLUMNS)
        .select_from(packages.join(downloads, downloads.c.package_id == packages.c.id))
        # With the id, both tables are read in index order and nothing needs sorting.
        .order_by(packages.c.position, packages.c.id, downloads.c.position)
    )
    if wanted.view:
        query = query.where(
            packages.c.collector == (true() if wanted.view == "collector" else false())
        )
    if wanted.limit is not None:
        query = query.limit(wanted.limit + 1)
    if wanted.after:
        query = query.where(_after(wanted.after))
    if wanted.state:
        query = query.where(downloads.c.status == wanted.state)
    if wanted.q:
        query = query.where(_matches(wanted.q, folded=folded))
    return query


def _after(place: PageCursor) -> ColumnElement[bool]:
    position, id = packages.c.position, packages.c.id
    later_in_package = and_(id == place.package_id, downloads.c.position > place.download_position)
    return and_(
        # Redundant, but lets the database start at the right package in the index.
        position >= place.position,
        or_(position > place.position, id > place.package_id, later_in_package),
    )


def _matches(words: str, *, folded: bool) -> ColumnElement[bool]:
    fields = (downloads.c.name, downloads.c.url, packages.c.name)
    return or_(
        *(
            field.contains(words, autoescape=True)
            if folded
            else field.icontains(words, autoescape=True)
            for field in fields
        )
    )


def _grouped(conn: Connection, rows: Sequence[Row[Any]], asking: OpenQuestions) -> list[Package]:
    by_package: dict[int, list[Download]] = {}
    for row in rows:
        download = download_of(row, asking)
        by_package.setdefault(download.package_id, []).append(download)
    known = _packages(conn, by_package, asking)
    return [msgspec.structs.replace(known[id], downloads=found) for id, found in by_package.items()]


def download_of(row: Sequence[Any], asking: OpenQuestions = _NOTHING_ASKED) -> Download:
    """Return a download from a row with `DOWNLOAD_COLUMNS`."""
    section = download_section(
        row[_STATUS],
        offline=row[_ONLINE] == "offline",
        has_error=row[_ERROR] is not None,
        damaged=row[_HASH_OK] is False,
        asks=row[0] in asking.downloads,
    )
    download = Download(*(*row, section))
    if download.error is None:
        return download
    return msgspec.structs.replace(download, error=_problem(download.error))


def _problem(value: Any) -> Problem | None:
    return None if value is None else msgspec.convert(value, Problem)


def _packages(conn: Connection, ids: Iterable[int], asking: OpenQuestions) -> dict[int, Package]:
    found: dict[int, Package] = {}
    for some in in_batches(list(ids)):
        summaries, sections = _summaries(conn, some)
        hashes = info_hashes(conn, some)
        rows = conn.execute(select(packages).where(packages.c.id.in_(some)))
        found |= {
            row.id: _package_of(
                row,
                summaries[row.id],
                _package_section(row, sections[row.id], asking),
                *hashes.get(row.id, (None, False)),
            )
            for row in rows
        }
    return found


def _package_section(
    row: Row[Any], sections: Collection[Section], asking: OpenQuestions
) -> Section:
    problem = _problem(row.extract_error)
    return package_section(
        sections,
        extract=row.extract,
        needs_password=row.extract == "failed"
        and problem is not None
        and problem.code == "wrong_password",
        moving=bool(row.moved_from),
        asks=row.id in asking.packages,
    )


def _package_of(
    row: Row[Any], summary: Summary, section: Section, info_hash: str | None, seeding: bool
) -> Package:
    return Package(
        id=row.id,
        name=row.name,
        target_dir=row.target_dir,
        source=row.source,
        source_page=row.source_page,
        collector=row.collector,
        extract=row.extract,
        extract_error=_problem(row.extract_error),
        extract_notes=msgspec.convert(row.extract_notes or [], list[Problem]),
        extract_nested=row.extract_nested,
        moving=bool(row.moved_from),
        created_at=row.created_at,
        has_passwords=bool(row.passwords) or row.download_password is not None,
        priority=row.priority,
        position=row.position,
        speed_limit_kib=row.speed_limit_kib,
        info_hash=info_hash,
        seeding=seeding,
        section=section,
        summary=summary,
        downloads=[],
    )


def _summaries(
    conn: Connection, ids: Sequence[int]
) -> tuple[dict[int, Summary], dict[int, set[Section]]]:
    """Return the totals of each package, and the sections of its downloads."""
    status = downloads.c.status
    # Conditions on the state first: few rows then need columns that the index does not have.
    offline = case((status == "collected", downloads.c.online == "offline"), else_=false())
    has_error = case((status == "paused", downloads.c.error.is_not(None)), else_=false())
    damaged = case((status == "finished", downloads.c.hash_ok.is_(false())), else_=false())
    query = (
        select(
            downloads.c.package_id,
            status,
            offline.label("offline"),
            has_error.label("has_error"),
            damaged.label("damaged"),
            func.count(),
            func.coalesce(func.sum(downloads.c.size), 0),
            func.sum(downloads.c.bytes_done),
            func.sum(case((downloads.c.size.is_(None), 1), else_=0)),
        )
        .where(downloads.c.package_id.in_(ids))
        # By name: PostgreSQL takes equal expressions with parameters for different ones.
        .group_by(downloads.c.package_id, status, "offline", "has_error", "damaged")
    )
    summaries = {id: Summary() for id in ids}
    sections: dict[int, set[Section]] = {id: set() for id in ids}
    for id, of, is_offline, errs, is_damaged, *figures in conn.execute(query):
        # PostgreSQL returns sums of big integers as decimals.
        count, size, done, unknown = map(int, figures)
        before = summaries[id]
        if of == "skipped":
            summaries[id] = msgspec.structs.replace(before, skipped=before.skipped + count)
            continue
        summaries[id] = Summary(
            downloads=before.downloads + count,
            finished=before.finished + (count if of == "finished" else 0),
            failed=before.failed + (count if of == "failed" else 0),
            size=before.size + size,
            bytes_done=before.bytes_done + done,
            unknown_sizes=before.unknown_sizes + unknown,
            skipped=before.skipped,
        )
        section = download_section(
            of,
            offline=bool(is_offline),
            has_error=bool(errs),
            damaged=bool(is_damaged),
            asks=False,
        )
        sections[id].add(section)
    return summaries, sections
