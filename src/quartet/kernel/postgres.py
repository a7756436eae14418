"""The address of PostgreSQL, the same for all who connect to it."""

from sqlalchemy import URL, make_url

# A server that does not answer, or a machine that lost its power or its network, is given up on
# after some seconds; the system itself would wait for minutes.
_PATIENCE = {
    "connect_timeout": "5",
    "keepalives_idle": "3",
    "keepalives_interval": "2",
    "keepalives_count": "2",
    "tcp_user_timeout": "10000",
}


def engine_address(url: str) -> URL:
    """For SQLAlchemy. What the operator has written into the address counts more."""
    found = make_url(url).set(drivername="postgresql+psycopg")
    return found.set(query={**_PATIENCE, **found.query})


def plain_address(url: str) -> str:
    """For psycopg itself, which does not know SQLAlchemy's names of drivers."""
    found = engine_address(url).set(drivername="postgresql")
    return found.render_as_string(hide_password=False)
