"""Build the sync agent as one file, `dist/quartet-agent.pyz`, for devices that only have Python.

It contains exactly what the agent imports. Because of compiled parts it runs only on the same kind
of system and the same Python version.
"""

import argparse
import importlib
import pkgutil
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILE = ROOT / "dist" / "quartet-agent.pyz"
PACKAGES = ("quartet.sync.agent", "quartet.sync.engine", "quartet.sync.protocol")
# Imported only when the agent runs.
LAZY_IMPORTS = ("quartet.cli", "quartet.kernel.log")
# Quartet is copied file by file; setuptools is loaded by every Python that has it, needed or not.
EXCLUDED = {"quartet", "setuptools"}
PYTHON = "/usr/bin/env python3"


def import_agent() -> None:
    for name in (*PACKAGES, *LAZY_IMPORTS):
        importlib.import_module(name)
    for package in PACKAGES:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            importlib.import_module(f"{package}.{module.name}")


def copy_imported_files(folder: Path) -> None:
    """Copy everything that was imported into a folder laid out like `site-packages`."""
    source = ROOT / "src"
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "quartet" and module.__file__:
            path = Path(module.__file__)
            target = folder / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    write_metadata(folder)
    owners = packages_distributions()
    tops = {name.split(".")[0] for name in sys.modules}
    for name in {each for top in tops for each in owners.get(top, [])} - EXCLUDED:
        copy_distribution(name, folder)


def write_metadata(folder: Path) -> None:
    """Write the metadata from which the agent reads its version."""
    version = metadata.version("quartet")
    info = folder / f"quartet-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: quartet\nVersion: {version}\n")


def copy_distribution(name: str, folder: Path) -> None:
    for file in distribution(name).files or ():
        # Skip commands outside of the folder and compiled files, which Python recreates.
        if ".." not in file.parts and "__pycache__" not in file.parts:
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(str(file.locate()), target)


def build(file: Path) -> None:
    import_agent()
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        copy_imported_files(Path(folder))
        command = [sys.executable, "-m", "shiv", "--site-packages", folder, "--reproducible"]
        options = ["-e", "quartet.cli:main", "-p", PYTHON, "-o", str(file)]
        subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    target = parser.parse_args().file
    build(target)
    print(f"{target} ({target.stat().st_size / 1e6:.1f} MB)")
