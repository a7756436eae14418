import zlib
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, Row, Select, bindparam, delete, insert, select, text, update

from quartet.sync.config.store import devices, folders, shares
from quartet.sync.config.tables import config_rev, revisions
from quartet.sync.config.types.revisions import (
    DEFAULT_TEMPLATE,
    ChangeSummary,
    Config,
    Revision,
    Snapshot,
)
from quartet.sync.config.types.shares import Share

ONLY = 1
# Changes when the table is restored from a dump, the server from its log, or a standby takes over,
# and when a user begins a new epoch.
_EPOCH = text(
    "SELECT md5(concat_ws('-', c.system_identifier, p.timeline_id,"
    " pg_relation_filenode('config_rev'), nullif(r.epoch_salt, '')))"
    " FROM pg_control_system() c, pg_control_checkpoint() p, config_rev r"
)
EPOCH_CHARS = 16
KEPT = 500
_NEXT = (
    update(config_rev).values(revision=config_rev.c.revision + 1).returning(config_rev.c.revision)
)
_REVISION = select(config_rev.c.revision)
_PATH_TEMPLATE = select(config_rev.c.path_template)
_OLD = delete(revisions).where(revisions.c.revision <= bindparam("last"))


def server_id(conn: Connection) -> str | None:
    return conn.execute(select(config_rev.c.server_id)).scalar()


def insert_server_id(conn: Connection, server_id: str) -> None:
    conn.execute(insert(config_rev).values(id=ONLY, revision=0, server_id=server_id))


def next_revision(conn: Connection) -> int:
    """Increment the revision; called first in a change, so that concurrent changes wait here."""
    revision: int = conn.execute(_NEXT).scalar_one()
    return revision


def epoch(conn: Connection) -> str:
    """Return the epoch of the PostgreSQL server, the same for all control servers."""
    found: str = conn.execute(_EPOCH).scalar_one()
    return found[:EPOCH_CHARS]


def set_path_template(conn: Connection, template: str) -> None:
    conn.execute(update(config_rev).values(path_template=template))


def set_epoch_salt(conn: Connection, salt: str) -> None:
    conn.execute(update(config_rev).values(epoch_salt=salt))


def revision(conn: Connection) -> int:
    found: int = conn.execute(_REVISION).scalar_one()
    return found


def config(conn: Connection) -> Config:
    """Return the configuration of one revision, even while another one is being written."""
    while True:
        before = revision(conn)
        found = Config(
            before,
            devices.load_all(conn),
            folders.load_all(conn),
            shares.load_all(conn),
            shares.load_passwords(conn),
            conn.execute(_PATH_TEMPLATE).scalar_one() or DEFAULT_TEMPLATE,
        )
        if revision(conn) == before:
            return found


def save(conn: Connection, config: Config, at: int, user: str, what: ChangeSummary) -> None:
    snapshot = Snapshot(
        list(config.devices.values()), list(config.folders.values()), list(config.shares)
    )
    packed = zlib.compress(msgspec.json.encode(snapshot), level=1)
    row = {"revision": config.revision, "at": at, "who": user, "what": what, "snapshot": packed}
    conn.execute(insert(revisions), row)
    conn.execute(_OLD, {"last": config.revision - KEPT})


def page(conn: Connection, before: int | None, limit: int) -> list[Revision]:
    """Return revisions, newest first."""
    query: Select[Any] = select(
        revisions.c.revision, revisions.c.at, revisions.c.who, revisions.c.what
    )
    if before is not None:
        query = query.where(revisions.c.revision < before)
    rows = conn.execute(query.order_by(revisions.c.revision.desc()).limit(limit))
    return [_revision(row) for row in rows]


def _revision(row: Row[Any]) -> Revision:
    what = msgspec.convert(row.what, ChangeSummary)
    return Revision(row.revision, row.at, row.who, what.code, what.inputs)


def snapshot(conn: Connection, revision: int) -> Snapshot | None:
    query = select(revisions.c.snapshot).where(revisions.c.revision == revision)
    packed = conn.execute(query).scalar()
    return msgspec.json.decode(zlib.decompress(packed), type=Snapshot) if packed else None


def restore_snapshot(conn: Connection, wanted: Snapshot) -> None:
    """Restore the folders and shares; removed or blocked devices stay removed or blocked."""
    there = devices.load_all(conn)
    # Removing a folder removes its passwords as well.
    passwords = shares.load_passwords(conn)
    before = {(share.folder_id, share.device_id): share for share in shares.load_all(conn)}
    shares.remove_all(conn)
    kept = {folder.id for folder in wanted.folders}
    for folder_id in folders.load_all(conn).keys() - kept:
        folders.remove(conn, folder_id)
    for folder in wanted.folders:
        folders.put(conn, folder)
    shares.add(
        conn,
        [
            _with_state_of(before.get((share.folder_id, share.device_id)), share)
            for share in wanted.shares
            if share.device_id in there
            and (share.mode != "encrypted" or (share.folder_id, share.device_id) in passwords)
        ],
    )


def _with_state_of(before: Share | None, share: Share) -> Share:
    """Keep what is not part of the setup: only a user may release or resume a share, and old repair
    requests are already done.
    """
    held = before.held if before else share.held
    return replace(share, repair=0, held=held, paused=before is not None and before.paused)
