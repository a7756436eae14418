from sqlalchemy import Connection, delete, func, insert, select

from quartet.media.catalog.tables import catalog_answers as answers

MOST_ANSWERS = 20_000


def answer(conn: Connection, key: str, now: int) -> str | None:
    query = select(answers.c.value).where(answers.c.key == key, answers.c.expires_at > now)
    return conn.execute(query).scalar_one_or_none()


def keep(conn: Connection, key: str, value: str, now: int, expires_at: int) -> None:
    conn.execute(delete(answers).where((answers.c.key == key) | (answers.c.expires_at <= now)))
    conn.execute(insert(answers).values(key=key, value=value, expires_at=expires_at))
    count = conn.execute(select(func.count()).select_from(answers)).scalar_one()
    if count > MOST_ANSWERS:
        oldest = select(answers.c.key).order_by(answers.c.expires_at).limit(MOST_ANSWERS // 10)
        conn.execute(delete(answers).where(answers.c.key.in_(oldest)))
