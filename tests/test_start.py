"""The modules that a service loads before its first answer.

The number of modules decides how long the start takes and how much memory an idle service needs,
and unlike a time it is the same on every machine.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from quartet.kernel.startup import open_kernel
from quartet.services import NAMES, service
from tests.process import environment

# Own modules and those of libraries. Before raising a limit, check whether a new module is needed
# for the first answer; see "Rules" in CONTRIBUTING.md.
MOST_MODULES = {"downloads": 870, "sync": 818, "media": 838, "wind": 866}
# Used by some requests, by background tasks, at the first start or in the demo only.
NOT_AT_START = {
    "PIL",
    "aiohttp",
    "alembic",
    "apprise",
    "argon2",
    "authlib",
    "cryptography.x509",
    "defusedxml",
    "eccodes",
    "jinja2",
    "joserfc",
    "numpy",
    "opentelemetry.sdk",
    "prometheus_client",
    "psycopg",
    "pydantic",
    "rapidfuzz",
    "redis",
    "sqlalchemy.dialects.postgresql",
    "sqlalchemy.orm",
    "quartet.kernel.tracing",
    "quartet.downloads.demo.build",
    "quartet.media.demo.fill",
    "quartet.sync.demo.setup",
    "quartet.wind.demo.rider",
}

START = """
import sys
from pathlib import Path

import quartet.serve
from quartet.kernel.startup import start
from quartet.services import service

found = service(sys.argv[1])
start(found, found.settings(data=Path(sys.argv[2])))
print("\\n".join(sys.modules))
"""


def modules_at_start(name: str, data: Path) -> set[str]:
    # The first start migrates the database, which needs more modules.
    found = service(name)
    open_kernel(found, found.settings(data=data)).db.close()
    done = subprocess.run(
        [sys.executable, "-c", START, name, str(data)],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    names = done.stdout.split()
    return {each for each in names if each.split(".")[0] not in sys.stdlib_module_names}


@pytest.mark.parametrize("name", NAMES)
def test_start_loads_few_modules(name: str, tmp_path: Path) -> None:
    loaded = modules_at_start(name, tmp_path)
    assert loaded & NOT_AT_START == set()
    # Litestar loads four modules with constants if it finds the package.
    counted = {each for each in loaded if not each.startswith("opentelemetry")}
    assert len(counted) <= MOST_MODULES[name]
