"""Runs Alembic migrations without an ini file or env.py."""

from pathlib import Path
from typing import Any

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection


def upgrade(conn: Connection, folder: Path) -> None:
    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    script = ScriptDirectory.from_config(config)

    def steps(revision: Any, _context: MigrationContext) -> Any:
        return script._upgrade_revs("head", revision)

    with EnvironmentContext(config, script, fn=steps, destination_rev="head") as env:
        env.configure(
            connection=conn,
            # The caller's transaction includes the whole upgrade.
            transactional_ddl=True,
            render_as_batch=conn.dialect.name == "sqlite",
        )
        env.run_migrations()
