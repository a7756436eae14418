"""Build the sync agent together with Python as one program: `make standalone`.

The result, `dist/quartet-agent-<system>-<machine>`, needs nothing but Syncthing on a device. It
runs on systems like the one it was built on, so the release workflow builds it on each of them. A
Python of uv, which `self_contained_agent.py 3.13` selects, also runs with older C libraries.
"""

import os
import platform
import shutil
import sys
import tempfile
from importlib.metadata import packages_distributions
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from setup import ROOT, run, uv, writable_caches

DIST = ROOT / "dist"
VENV = ROOT / "build" / "agent-venv"
# Set for the process that runs in the virtual environment.
INSIDE = "QUARTET_AGENT_BUILD"
LOCKS = ("-c", "requirements.lock", "-c", "requirements-agents.lock")
TOOLS = ("pyinstaller", "hatchling", "editables")
# Children of the agent must not load the libraries inside of the program.
MAIN = """\
import multiprocessing, os
for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
    os.environ.pop(name, None)
    if original := os.environ.pop(f"{name}_ORIG", None):
        os.environ[name] = original
multiprocessing.freeze_support()
from quartet.cli import main
main(prog_name="quartet-agent")
"""


def name() -> str:
    return f"quartet-agent-{platform.system()}-{platform.machine()}".lower()


def main() -> None:
    os.environ.update(writable_caches(os.environ))
    folder = "Scripts" if sys.platform == "win32" else "bin"
    python = VENV / folder / "python"
    wanted = sys.argv[1] if len(sys.argv) > 1 else sys.executable
    run(uv(), "venv", "--quiet", "--clear", "--python", wanted, VENV)
    install = (uv(), "pip", "install", "--quiet", "--python", VENV)
    # The constraints carry hashes, which uv verifies.
    run(*install, *LOCKS, "-r", "pyproject.toml", "--extra", "agent", *TOOLS)
    run(*install, "--no-deps", "--no-build-isolation", "--editable", ROOT)
    run(python, __file__, environment={**os.environ, INSIDE: "1"})
    print(f"{built().relative_to(ROOT)} ({built().stat().st_size / 1e6:.1f} MB)")


def built() -> Path:
    return DIST / (name() + (".exe" if sys.platform == "win32" else ""))


def modules() -> tuple[set[str], set[str]]:
    """Return the modules of Quartet that the agent needs, and all other installed modules.

    Commands import modules when they run, which PyInstaller does not see; and it would follow the
    imports of functions that only a server calls.
    """
    import quartet
    from quartet.sync.distribution.bundle import import_agent

    import_agent()
    needed = {each for each in sys.modules if each.split(".")[0] == "quartet"}
    source = Path(quartet.__path__[0])
    files = (each.relative_to(source).with_suffix("").parts for each in source.rglob("*.py"))
    ours = {".".join(("quartet", *parts)).removesuffix(".__init__") for parts in files}
    tops = {each.split(".")[0] for each in sys.modules}
    return needed, (ours - needed) | {each for each in packages_distributions() if each not in tops}


def build() -> None:
    from PyInstaller.__main__ import run as run_pyinstaller

    needed, unneeded = modules()
    # The Python of many systems carries its debugging symbols, which triple the size.
    strip = ["--strip"] if sys.platform == "linux" and shutil.which("strip") else []
    # The task scheduler of Windows would show a window for as long as the agent runs.
    window = ["--hide-console=hide-early"] if sys.platform == "win32" else []
    with tempfile.TemporaryDirectory() as work:
        start = Path(work) / "main.py"
        start.write_text(MAIN)
        run_pyinstaller([
            *("--onefile", "--clean", "--log-level=WARN", "--copy-metadata=quartet-suite"),
            *("--distpath", str(DIST), "--workpath", work, "--specpath", work),
            *(f"--hidden-import={each}" for each in sorted(needed)),
            *(f"--exclude-module={each}" for each in sorted(unneeded)),
            *strip,
            *window,
            f"--name={name()}",
            str(start),
        ])  # fmt: skip


def check() -> None:
    """Run the built program, which then imports everything that the agent needs."""
    for arguments in (["--version"], ["agent", "run", "--help"]):
        run(built(), *arguments)


if __name__ == "__main__":
    if "--check" in sys.argv:
        check()
    elif os.environ.get(INSIDE):
        build()
    else:
        main()
