from sqlalchemy import Column

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, Text, strict_table

# Packages for which the script has to be run. They are kept when the package is removed from the
# queue before that.
due_scripts = strict_table(
    "due_scripts",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("package_id", BigInt, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("target_dir", Text, nullable=False),
)
