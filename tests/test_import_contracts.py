"""The import contracts in pyproject.toml report imports that do not belong in a module."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.process import ROOT

SQL = "Only stores and tables use SQLAlchemy"
WEB = "Only routes use Litestar"
# A package of each service and of the kernel, one that imports it, and the contract against the
# opposite direction.
CYCLES = [
    ("downloads/packages", "downloads.queue", "The packages of downloads have no import cycles"),
    ("sync/config", "sync.hub", "The packages of sync have no import cycles"),
    ("media/names", "media.jobs", "The packages of media have no import cycles"),
    ("wind/grid", "wind.ingest", "The packages of wind have no import cycles"),
    ("kernel/db", "kernel.backups", "The modules of the kernel have no import cycles"),
]
# Modules that need neither SQL nor the web framework, in packages and in packages of packages.
SQL_PLANTS = ("media/jobs/preview/scan.py", "sync/hubfiles/names.py", "downloads/queue/batcher.py")
WEB_PLANTS = (
    "media/jobs/preview/item_edits.py",
    "wind/admin/forecasts.py",
    "media/match/scoring.py",
)
EXEMPT = ("__init__", "store", "tables", "routes", "app", "metadata")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Copy what import-linter reads."""
    for name in ("pyproject.toml", "scripts/import_contracts.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    ignored = shutil.ignore_patterns("__pycache__", "ui")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=ignored)
    return tmp_path


def lint_imports(checkout: Path) -> tuple[int, str]:
    done = subprocess.run(
        ["lint-imports", "--no-cache"],
        cwd=checkout,
        env={"PATH": f"{ROOT}/.venv/bin:{os.environ['PATH']}", "PYTHONPATH": f"{checkout}/src"},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


def plant(path: Path, line: str) -> None:
    path.write_text(f"{path.read_text()}\n{line}\n")


def ordinary_module(folder: Path) -> Path:
    return next(path for path in sorted(folder.glob("*.py")) if not path.stem.startswith(EXEMPT))


@pytest.mark.nightly
def test_contracts_hold_for_clean_tree(checkout: Path) -> None:
    code, text = lint_imports(checkout)
    assert code == 0, text


def test_contracts_report_misplaced_imports(checkout: Path) -> None:
    packages = checkout / "src" / "quartet"
    planted = {"sqlalchemy": SQL_PLANTS, "litestar": WEB_PLANTS}
    for library, paths in planted.items():
        for path in paths:
            plant(packages / path, f"import {library}")
    for imported, importer, _ in CYCLES:
        plant(ordinary_module(packages / imported), f"import quartet.{importer}.service")
    code, text = lint_imports(checkout)
    assert code == 1
    for contract in (SQL, WEB, *(contract for _, _, contract in CYCLES)):
        assert f"{contract} BROKEN" in text
    for library, paths in planted.items():
        for path in paths:
            module = f"quartet/{path}".removesuffix(".py").replace("/", ".")
            assert f"{module} must not import {library}" in text
