"""Lists of checksums are found whatever the case of their ending."""

from alembic import op
from sqlalchemy import text

revision = "0008"
down_revision = "0007"

_LISTS = " OR ".join(f"lower(name) LIKE '%.{end}'" for end in ("sfv", "md5", "sha1", "sha256"))


def upgrade() -> None:
    op.drop_index("downloads_lists", "downloads")
    op.create_index(
        "downloads_lists",
        "downloads",
        ["package_id"],
        sqlite_where=text(_LISTS),
        postgresql_where=text(_LISTS),
    )
