"""The import contracts in pyproject.toml report imports that do not belong in a module."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.process import ROOT

SQL = "Only stores and tables use SQLAlchemy"
WEB = "Only routes use Litestar"
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


def plant(folder: Path, line: str) -> str:
    """Add an import to the first ordinary module of a package and return the module's name."""
    modules = (path for path in sorted(folder.glob("*.py")) if not path.stem.startswith(EXEMPT))
    path = next(modules)
    path.write_text(f"{path.read_text()}\n{line}\n")
    return ".".join(path.relative_to(folder.parents[2]).with_suffix("").parts)


@pytest.mark.nightly
def test_contracts_hold_for_clean_tree(checkout: Path) -> None:
    code, text = lint_imports(checkout)
    assert code == 0, text


def test_contracts_report_misplaced_imports(checkout: Path) -> None:
    packages = checkout / "src" / "quartet"
    jobs = plant(packages / "media" / "jobs", "import sqlalchemy")
    matching = plant(packages / "media" / "match", "import litestar")
    admin = plant(packages / "wind" / "admin", "from litestar import get")
    code, text = lint_imports(checkout)
    assert code == 1
    assert f"{SQL} BROKEN" in text
    assert f"{WEB} BROKEN" in text
    assert f"{jobs} must not import sqlalchemy" in text
    assert f"{matching} must not import litestar" in text
    assert f"{admin} must not import litestar" in text
