"""Packs the Python that runs the server, for devices that have none.

The archive contains the interpreter, its standard library and the shared libraries that these
load, except those of the C library. It runs on Linux with the same kind of processor and the same
or a newer C library.
"""

import importlib
import re
import sys
import sysconfig
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# The shell sets the search path of libraries, which the agent then hides from other programs.
START = """\
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
QUARTET_PYTHON="$here/python" LD_LIBRARY_PATH="$here/libs" exec "$here/bin/python3" "$@"
"""
# Parts of the standard library that the agent never needs.
LEFT_OUT = {
    "__pycache__", "dist-packages", "ensurepip", "idlelib", "lib2to3", "pydoc_data",
    "site-packages", "test", "tests", "tkinter", "turtledemo",
}  # fmt: skip
_UNUSED_MODULE = re.compile("_tkinter|_?xx|_test|_ctypes_test|readline|_curses|_gdbm|_dbm|nis")
_OF_SYSTEM = re.compile(r"ld-|(libc|libm|libdl|librt|libutil|libpthread|libresolv|libnss_\w+)[.-]")


def build(file: Path) -> None:
    """Build the archive; call this in a process of its own, which has loaded nothing else."""
    stdlib = Path(sysconfig.get_path("stdlib"))
    modules = stdlib / "lib-dynload"
    inside = stdlib.relative_to(sys.base_prefix)
    part = file.with_suffix(".part")
    file.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(part, "w:gz", compresslevel=1) as archive:
        program = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
        archive.add(program, "bin/python3")
        for path in _library(stdlib):
            archive.add(path, str(inside / path.relative_to(stdlib)), recursive=False)
        for path in _modules(modules):
            archive.add(path, str(inside / "lib-dynload" / path.name))
        for path in _shared_libraries(modules):
            for name in _names(path):
                archive.add(path, f"libs/{name}")
        start = file.with_name("python")
        start.write_text(START)
        start.chmod(0o755)
        archive.add(start, "python")
        start.unlink()
    part.replace(file)


def _library(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name in LEFT_OUT or path.name == "lib-dynload" or path.name.startswith("config-"):
            continue
        if path.is_dir():
            yield from _library(path)
        elif path.suffix == ".py":
            yield path


def _modules(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.glob("*.so")):
        if not _UNUSED_MODULE.match(path.name):
            yield path


def _shared_libraries(modules: Path) -> list[Path]:
    """Load every module, and return what the system loaded for it."""
    for path in _modules(modules):
        with suppress(Exception):
            importlib.import_module(path.name.split(".")[0])
    maps = Path("/proc/self/maps").read_text()
    loaded = {Path(each) for each in re.findall(r"(/\S+\.so\S*)$", maps, re.MULTILINE)}
    return sorted(
        path
        for path in loaded
        if path.parent.name != "lib-dynload"
        and "site-packages" not in path.parts
        and not _OF_SYSTEM.match(path.name)
    )


def _names(path: Path) -> list[str]:
    """Return the names by which programs find a library: links next to it, such as `libz.so.1`."""
    stem = path.name.split(".so")[0]
    links = [each for each in path.parent.glob(f"{stem}.so.*") if each.resolve() == path.resolve()]
    return sorted({path.name, *(each.name for each in links)})


if __name__ == "__main__":
    build(Path(sys.argv[1]))
