"""Imports Litestar and uvicorn without modules that only their unused features need."""

import sys
from types import ModuleType

# For OpenAPI documents as YAML, the debugger after an error, and reloading changed code. They would
# load thirty modules, which take a thirtieth of the start and 2.5 MB.
_EMPTY = ("yaml", "pdb")
_MISSING = ("watchfiles",)


def import_libraries() -> None:
    """Call this before anything else imports them; later imports of the left out modules work."""
    left_out: dict[str, ModuleType | None] = {
        **{name: ModuleType(name) for name in _EMPTY},
        **dict.fromkeys(_MISSING),
    }
    added = {name: module for name, module in left_out.items() if name not in sys.modules}
    sys.modules.update(added)  # type: ignore[arg-type]  # None makes an import fail
    try:
        import litestar  # noqa: F401
        import uvicorn  # noqa: F401
    finally:
        for name in added:
            del sys.modules[name]
