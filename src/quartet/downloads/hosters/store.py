from sqlalchemy import Connection, delete, insert, or_, select, update

from quartet.downloads.hosters.tables import plugin_cookies
from quartet.downloads.packages.tables import downloads, packages
from quartet.kernel.errors import Problem


def cookies(conn: Connection, plugin_id: str, account_id: int) -> bytes | None:
    query = select(plugin_cookies.c.cookies).where(
        plugin_cookies.c.plugin_id == plugin_id, plugin_cookies.c.account_id == account_id
    )
    return conn.execute(query).scalar_one_or_none()


def store_cookies(conn: Connection, plugin_id: str, account_id: int, locked: bytes) -> None:
    delete_cookies(conn, plugin_id, account_id)
    conn.execute(
        insert(plugin_cookies).values(plugin_id=plugin_id, account_id=account_id, cookies=locked)
    )


def delete_cookies(conn: Connection, plugin_id: str, account_id: int) -> None:
    conn.execute(
        delete(plugin_cookies).where(
            plugin_cookies.c.plugin_id == plugin_id, plugin_cookies.c.account_id == account_id
        )
    )


def password_of(conn: Connection, download_id: int) -> str | None:
    query = select(packages.c.download_password).join(downloads)
    return conn.execute(query.where(downloads.c.id == download_id)).scalar_one_or_none()


def remember_password(conn: Connection, download_id: int, password: str) -> None:
    """Store a password that worked, so that the user is not asked again."""
    package = select(downloads.c.package_id).where(downloads.c.id == download_id).scalar_subquery()
    conn.execute(
        update(packages).where(packages.c.id == package).values(download_password=password)
    )


def postpone(conn: Connection, plugin_id: str, until: int, problem: Problem) -> None:
    """Make all queued downloads of this plugin wait until then."""
    sooner = or_(downloads.c.retry_at.is_(None), downloads.c.retry_at < until)
    query = update(downloads).where(
        downloads.c.status == "queued", downloads.c.plugin_id == plugin_id, sooner
    )
    conn.execute(query.values(retry_at=until, error=problem))


def clear_retry_times(conn: Connection, plugin_id: str) -> None:
    """Let the queued downloads of this plugin retry at once."""
    query = update(downloads).where(
        downloads.c.status == "queued",
        downloads.c.plugin_id == plugin_id,
        downloads.c.retry_at.is_not(None),
    )
    conn.execute(query.values(retry_at=None))
