"""Builds the agent as one file from the installed packages.

The file is a zip archive that Python can run. It unpacks itself into the user's cache, because
compiled modules cannot be imported from an archive. It runs only on the same kind of system and the
same minor version of Python.
"""

import hashlib
import importlib
import pkgutil
import sys
import zipfile
from collections.abc import Iterator
from importlib import metadata
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

PACKAGES = ("quartet.sync.agent", "quartet.sync.engine", "quartet.sync.protocol")
# Imported only when the agent runs.
LAZY_IMPORTS = ("quartet.cli", "quartet.kernel.log", "aiohttp")
# Quartet is copied file by file; setuptools is loaded by every Python that has it, needed or not.
EXCLUDED = {"quartet-suite", "setuptools"}
SHEBANG = b"#!/usr/bin/env python3\n"
# The same content results in the same file.
DATE = (2020, 1, 1, 0, 0, 0)
MAIN = """\
import os, sys, tempfile, zipfile
from pathlib import Path

def unpacked():
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    place = home / "quartet-agent" / "{digest}"
    if not place.is_dir():
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=place.parent))
        with zipfile.ZipFile(sys.argv[0]) as archive:
            archive.extractall(part)
        try:
            part.rename(place)
        except OSError:
            # Another process was faster.
            if not place.is_dir():
                raise
    return place

# Set by the Python that a server sends: only that one may use its libraries.
if "QUARTET_PYTHON" in os.environ:
    sys.executable = os.environ.pop("QUARTET_PYTHON")
    del os.environ["LD_LIBRARY_PATH"]
if sys.version_info[:2] != {python}:
    sys.exit("quartet-agent needs Python {named}")
sys.path.insert(0, str(unpacked()))
from quartet.cli import main
main()
"""


def import_agent() -> None:
    for name in (*PACKAGES, *LAZY_IMPORTS):
        importlib.import_module(name)
    for package in PACKAGES:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            importlib.import_module(f"{package}.{module.name}")


def imported_files() -> Iterator[tuple[str, bytes]]:
    """Return everything that was imported, with paths as in `site-packages`."""
    import quartet

    source = Path(quartet.__path__[0]).parent
    for name, module in sorted(sys.modules.items()):
        if name.split(".")[0] == "quartet" and module.__file__:
            path = Path(module.__file__)
            yield path.relative_to(source).as_posix(), path.read_bytes()
    version = metadata.version("quartet-suite")
    # The agent reads its version from here.
    about = f"Metadata-Version: 2.1\nName: quartet-suite\nVersion: {version}\n"
    yield f"quartet_suite-{version}.dist-info/METADATA", about.encode()
    owners = packages_distributions()
    tops = {name.split(".")[0] for name in sys.modules}
    for package in sorted({each for top in tops for each in owners.get(top, [])} - EXCLUDED):
        for file in distribution(package).files or ():
            # Skip commands outside of the folder and compiled files, which Python recreates.
            if ".." not in file.parts and "__pycache__" not in file.parts:
                yield file.as_posix(), Path(str(file.locate())).read_bytes()


def build(file: Path) -> None:
    """Build the file; call this in a process of its own, which has imported nothing else."""
    import_agent()
    files = dict(imported_files())
    digest = hashlib.sha256(b"".join(name.encode() + files[name] for name in sorted(files)))
    python = sys.version_info[:2]
    named = ".".join(map(str, python))
    files["__main__.py"] = MAIN.format(
        digest=digest.hexdigest()[:16], python=python, named=named
    ).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    with part.open("wb") as target:
        target.write(SHEBANG)
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(files):
                archive.writestr(zipfile.ZipInfo(name, DATE), files[name], zipfile.ZIP_DEFLATED)
    part.chmod(0o755)
    part.replace(file)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
