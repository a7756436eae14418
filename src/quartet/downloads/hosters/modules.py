"""Imports plugin files. This runs foreign code, so it is done in a worker's thread only."""

import importlib
import importlib.util
import itertools
import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from quartet.downloads.hosters.hoster import Hoster
from quartet.downloads.hosters.plugin import Plugin, plugin_of

BUILTIN = "quartet.downloads.hosters.builtin"
_numbers = itertools.count(1)


def builtin_names() -> list[str]:
    folder = Path(importlib.import_module(BUILTIN).__path__[0])
    return sorted(path.parent.name for path in folder.glob("*/__init__.py"))


def builtin_plugins(name: str) -> list[Plugin]:
    module = importlib.import_module(f"{BUILTIN}.{name}")
    return [plugin_of(kind, f"builtin/{name}", builtin=True) for kind in _hosters(module)]


def user_files(folder: Path) -> list[Path]:
    """Return single files and packages; names starting with a dot or underscore are skipped."""
    found = [*folder.glob("*.py"), *folder.glob("*/__init__.py")]
    return sorted(path for path in found if path.relative_to(folder).parts[0][0] not in "._")


def user_plugins(path: Path, shown: str) -> list[Plugin]:
    # A new name each time, so that calls still running in the old module are not affected.
    name = f"quartet_plugin_{next(_numbers)}"
    package = [str(path.parent)] if path.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(
        name, path, loader=_UncachedLoader(name, str(path)), submodule_search_locations=package
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{shown} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        plugins = [plugin_of(kind, shown, builtin=False) for kind in _hosters(module)]
        if not plugins:
            raise TypeError("no class derives from Hoster and has an id")
    except BaseException:
        forget(name)
        raise
    return plugins


class _UncachedLoader(SourceFileLoader):
    """Ignores cached bytecode, which would hide a change within the same second."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def forget(name: str) -> None:
    for known in list(sys.modules):
        if known == name or known.startswith(f"{name}."):
            del sys.modules[known]


def _hosters(module: ModuleType) -> Iterator[type[Hoster]]:
    """Yield the plugin classes defined in this module or package, without imported ones."""
    for value in list(vars(module).values()):
        if isinstance(value, type) and issubclass(value, Hoster) and value.id:
            own = value.__module__ == module.__name__
            if own or value.__module__.startswith(f"{module.__name__}."):
                yield value
