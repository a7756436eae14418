"""Check that the extra of each service lists everything the service imports."""

import ast
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from quartet.services import NAMES

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
# Imported only if a setting enables them.
TRACES = "opentelemetry-"
BY_CHOICE = {"aiohttp-socks", "isal", "obstore", "psycopg", "redis", "taskiq", "taskiq-redis"}


@pytest.mark.parametrize("name", NAMES)
def test_extra_contains_all_imports_of_its_service(name: str) -> None:
    packages = _distributions()
    needed = {
        canonicalize_name(packages.get(module, [module])[0]) for module in _foreign_modules(name)
    }
    assert {each for each in needed - BY_CHOICE if not each.startswith(TRACES)} <= _brought_by(name)


@cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


def _foreign_modules(service: str) -> set[str]:
    """Return the third-party modules imported by a service and the kernel modules it uses."""
    code = (SOURCE / "quartet" / service).rglob("*.py")
    ours = [".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in code]
    seen: set[str] = set()
    foreign: set[str] = set()
    while ours:
        module = ours.pop()
        path = _file_of(module)
        if path is None or module in seen:
            continue
        seen.add(module)
        for imported in _imports(path):
            ours += [imported, imported.rpartition(".")[0]]
            foreign.add(imported.partition(".")[0])
    return foreign - sys.stdlib_module_names - {"quartet"}


def _file_of(module: str) -> Path | None:
    path = SOURCE.joinpath(*module.split("."))
    return next(
        (each for each in (path.with_suffix(".py"), path / "__init__.py") if each.exists()), None
    )


# The services share the kernel.
@cache
def _imports(path: Path) -> frozenset[str]:
    return frozenset(_imported_names(ast.parse(path.read_text())))


def _imported_names(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            # An imported name may itself be a module.
            yield from (f"{node.module}.{each.name}" for each in node.names)


def _brought_by(extra: str) -> set[str]:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    waiting = [Requirement(line) for line in (*project["dependencies"], *extras[extra])]
    found: set[str] = set()
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if name == "quartet-suite":
            waiting += [Requirement(line) for each in wanted.extras for line in extras[each]]
        elif name not in found:
            found.add(name)
            waiting += _requirements_of(wanted)
    return found


def _requirements_of(wanted: Requirement) -> list[Requirement]:
    try:
        lines = requires(wanted.name) or []
    except PackageNotFoundError:
        return []
    found = [Requirement(line) for line in lines]
    chosen = ("", *wanted.extras)
    return [
        each
        for each in found
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in chosen)
    ]
