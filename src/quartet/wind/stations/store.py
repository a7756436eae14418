from sqlalchemy import Connection, func, select

from quartet.wind.stations.tables import stations


def count(conn: Connection) -> int:
    return conn.execute(select(func.count()).select_from(stations)).scalar_one()
