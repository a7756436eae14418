from sqlalchemy import Connection, delete, insert, or_, select, update

from quartet.downloads.hosters.tables import plugin_cookies
from quartet.downloads.packages.tables import downloads, packages
from quartet.kernel.errors import Problem


def cookies(conn: Connection, plugin_id: str, account_id: int) -> bytes | None:
    query = select(plugin_cookies.c.cookies).where(
        plugin_cookies.c.plugin_id == plugin_id, plugin_cookies.c.account_id == account_id
    )
    return conn.execute(query).scalar_one_or_none()


def keep_cookies(conn: Connection, plugin_id: str, account_id: int, locked: bytes) -> None:
    forget_cookies(conn, plugin_id, account_id)
    conn.execute(
        insert(plugin_cookies).values(plugin_id=plugin_id, account_id=account_id, cookies=locked)
    )


def forget_cookies(conn: Connection, plugin_id: str, account_id: int) -> None:
    conn.execute(
        delete(plugin_cookies).where(
            plugin_cookies.c.plugin_id == plugin_id, plugin_cookies.c.account_id == account_id
        )
    )


def password_of(conn: Connection, download_id: int) -> str | None:
    query = select(packages.c.download_password).join(downloads)
    return conn.execute(query.where(downloads.c.id == download_id)).scalar_one_or_none()


def remember_password(conn: Connection, download_id: int, password: str) -> None:
    """One that worked is not asked for again."""
    package = select(downloads.c.package_id).where(downloads.c.id == download_id).scalar_subquery()
    conn.execute(
        update(packages).where(packages.c.id == package).values(download_password=password)
    )


def hold(conn: Connection, plugin_id: str, until: int, problem: Problem) -> None:
    """All that wait for this hoster wait until then."""
    sooner = or_(downloads.c.retry_at.is_(None), downloads.c.retry_at < until)
    query = update(downloads).where(
        downloads.c.status == "queued", downloads.c.plugin_id == plugin_id, sooner
    )
    conn.execute(query.values(retry_at=until, error=problem))


def release(conn: Connection, plugin_id: str) -> None:
    """Something has changed for the better: whoever waits for this hoster may try at once."""
    query = update(downloads).where(
        downloads.c.status == "queued",
        downloads.c.plugin_id == plugin_id,
        downloads.c.retry_at.is_not(None),
    )
    conn.execute(query.values(retry_at=None))
