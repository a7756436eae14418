"""PostgreSQL URLs with common timeouts."""

from sqlalchemy import URL, make_url

# Give up on an unresponsive server after a few seconds; the system defaults are minutes.
_TIMEOUTS = {
    "connect_timeout": "5",
    "keepalives_idle": "3",
    "keepalives_interval": "2",
    "keepalives_count": "2",
    "tcp_user_timeout": "10000",
}


def engine_address(url: str) -> URL:
    """Return the URL for SQLAlchemy; options in the operator's URL take precedence."""
    found = make_url(url).set(drivername="postgresql+psycopg")
    return found.set(query={**_TIMEOUTS, **found.query})


def plain_address(url: str) -> str:
    """Return the URL for psycopg, which does not accept SQLAlchemy's driver names."""
    found = engine_address(url).set(drivername="postgresql")
    return found.render_as_string(hide_password=False)
