from typing import Any

from sqlalchemy import Connection, Row, delete, insert, or_, select, update

from quartet.sync.hubfiles.links.tables import share_links
from quartet.sync.hubfiles.links.types import KnownLink, NewLink, ShareLink


def add(
    conn: Connection,
    folder_id: int,
    given: NewLink,
    user: str,
    times: tuple[int, int],
    token_hash: str,
    password_hash: str | None,
) -> ShareLink:
    """Add a link; `times` are its creation and its expiry."""
    query = insert(share_links).values(
        folder_id=folder_id,
        path=given.path,
        user=user,
        created_at=times[0],
        expires_at=times[1],
        token_hash=token_hash,
        password_hash=password_hash,
        downloads=0,
        most_downloads=given.most_downloads,
    )
    [ident] = conn.execute(query).inserted_primary_key or (0,)
    row = conn.execute(select(share_links).where(share_links.c.id == ident)).one()
    return _link(row)


def all_links(conn: Connection) -> list[ShareLink]:
    """Return all links, newest first."""
    return [
        _link(row) for row in conn.execute(select(share_links).order_by(share_links.c.id.desc()))
    ]


def find(conn: Connection, token_hash: str) -> KnownLink | None:
    row = conn.execute(select(share_links).where(share_links.c.token_hash == token_hash)).first()
    return KnownLink(_link(row), row.password_hash) if row else None


def count_download(conn: Connection, ident: int) -> bool:
    """Count a download; return False if the link has none left."""
    left = or_(
        share_links.c.most_downloads.is_(None),
        share_links.c.downloads < share_links.c.most_downloads,
    )
    query = update(share_links).where(share_links.c.id == ident, left)
    return conn.execute(query.values(downloads=share_links.c.downloads + 1)).rowcount == 1


def remove(conn: Connection, ident: int) -> bool:
    return conn.execute(delete(share_links).where(share_links.c.id == ident)).rowcount == 1


def forget(conn: Connection, before: int) -> None:
    """Delete links that expired before a time."""
    conn.execute(delete(share_links).where(share_links.c.expires_at < before))


def _link(row: Row[Any]) -> ShareLink:
    return ShareLink(
        id=row.id,
        folder_id=row.folder_id,
        path=row.path,
        user=row.user,
        created_at=row.created_at,
        expires_at=row.expires_at,
        has_password=row.password_hash is not None,
        downloads=row.downloads,
        most_downloads=row.most_downloads,
    )
