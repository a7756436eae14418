"""Sets up a checkout: `.venv` with the command `quartet`, and the web UI.

Needs Python 3.11 and nothing else; what is missing comes from the package registries, by
hash. Each step leaves a stamp of what it was made from and is skipped while that is the same.
`--dev` adds what the checks and tests need.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from system_programs import add_system_packages

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
NODE_AT_LEAST = (20, 19)


def main() -> None:
    make_venv()
    environment = node_environment()
    # Each waits for its own registry and keeps one core busy.
    with ThreadPoolExecutor() as side_by_side:
        parts = [side_by_side.submit(install_python), side_by_side.submit(build_ui, environment)]
    for part in parts:
        part.result()


def install_python() -> None:
    install("requirements.lock")
    if "--dev" in sys.argv:
        install("requirements-dev.lock")
    once("editable", ROOT / "pyproject.toml", install_editable)


def make_venv() -> None:
    if PYTHON.exists():
        return
    if found := shutil.which("uv"):
        run(found, "venv", "--quiet", "--python", sys.executable, VENV)
        return
    # Debian keeps the part of Python that makes environments in a package of its own.
    if subprocess.run([sys.executable, "-c", "import ensurepip"], capture_output=True).returncode:
        add_system_packages(["python3-venv"])
    run(sys.executable, "-m", "venv", VENV)


def uv() -> str:
    """The system's uv, or one from PyPI inside the environment."""
    if found := shutil.which("uv"):
        return found
    own = PYTHON.with_name("uv")
    if not own.exists():
        say("installing uv")
        # An environment that uv made has no pip; uv may have gone since.
        if subprocess.run([PYTHON, "-c", "import pip"], capture_output=True).returncode:
            run(PYTHON, "-m", "ensurepip")
        lock = ROOT / "requirements-uv.lock"
        run(PYTHON, "-m", "pip", "install", "--quiet", "--require-hashes", "-r", lock)
    return str(own)


def install(lock: str) -> None:
    def act() -> None:
        say(f"installing {lock}")
        pip_install("--require-hashes", "-r", ROOT / lock)

    once(lock, ROOT / lock, act)


def install_editable() -> None:
    pip_install("--no-deps", "--no-build-isolation", "--editable", ROOT)


def pip_install(*arguments: str | Path) -> None:
    run(uv(), "pip", "install", "--quiet", "--python", PYTHON, *arguments)


def build_ui(environment: Mapping[str, str]) -> None:
    def install_packages() -> None:
        say("installing the packages of the web UI")
        run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", environment=environment)

    once("node_modules", ROOT / "package-lock.json", install_packages, made=ROOT / "node_modules")
    # It knows itself what has not changed.
    run("npm", "run", "--silent", "build", environment=environment)


def node_environment() -> dict[str, str]:
    """The system's Node when it is new enough, else one from PyPI inside the environment."""
    if not system_node_is_enough():
        install("requirements-node.lock")
        return {**os.environ, "PATH": f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}"}
    return dict(os.environ)


def system_node_is_enough() -> bool:
    if not shutil.which("node") or not shutil.which("npm"):
        return False
    text = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    version = tuple(int(part) for part in text.strip().lstrip("v").split(".")[:2])
    return version >= NODE_AT_LEAST


def once(name: str, source: Path, act: Callable[[], None], made: Path = VENV) -> None:
    """Does it again only when `source` differs from last time, or what it made is gone."""
    stamp = VENV / ".stamps" / name
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    if made.exists() and stamp.is_file() and stamp.read_text() == digest:
        return
    act()
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(digest)


def run(*command: str | Path, environment: Mapping[str, str] | None = None) -> None:
    done = subprocess.run([str(part) for part in command], cwd=ROOT, env=environment)
    if done.returncode:
        sys.exit(f"set-up stopped: {Path(command[0]).name} failed with {done.returncode}")


def say(text: str) -> None:
    print(f"set-up: {text}", flush=True)


if __name__ == "__main__":
    main()
