"""Set up a checkout: `.venv` with the command `quartet`, and the web UI.

Needs only Python 3.11 or newer; everything else is installed from the package registries, by hash.
Each step stores a fingerprint of its input and is skipped while that is unchanged.
`--dev` adds the requirements of the checks and tests. `venv`, `python` and `ui` run only these
parts: the checks of each language start as soon as its own part is ready.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock

sys.path.insert(0, str(Path(__file__).parent))
from uv_bootstrap import fetch_uv

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMPS = VENV / ".stamps"
NPM_LOCK = ROOT / "package-lock.json"
NODE_MODULES = ROOT / "node_modules"
NPM_OPTIONS = ("--no-audit", "--no-fund", "--loglevel=error")
OMIT = ("--omit=dev",)
IMPORT_SERVICES = "import quartet.serve, quartet.services as all; [*map(all.service, all.NAMES)]"
NODE_AT_LEAST = (20, 19)


def main() -> None:
    os.environ.update(writable_caches(os.environ))
    wanted = {"venv", "python", "ui"} & {*sys.argv} or {"venv", "python", "ui"}
    if "venv" in wanted:
        make_venv()
        node_environment()
    # Each part waits for its own registry and uses one core.
    with ThreadPoolExecutor() as executor:
        parts = [executor.submit(PARTS[name]) for name in PARTS.keys() & wanted]
    for part in parts:
        part.result()


def writable_caches(environ: Mapping[str, str]) -> dict[str, str]:
    """Return settings that keep the caches of uv and npm in the checkout, if HOME is read-only."""
    home = Path(environ.get("HOME") or "/")
    places = (home, Path(environ.get("XDG_CACHE_HOME") or home / ".cache"))
    if all(os.access(nearest_existing(place), os.W_OK) for place in places):
        return {}
    own = ROOT / "build" / "cache"
    return {"UV_CACHE_DIR": str(own / "uv"), "npm_config_cache": str(own / "npm")}


def nearest_existing(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.exists())


def install_python() -> None:
    install("requirements.lock")
    if "--dev" in sys.argv:
        install("requirements-dev.lock")
    run_if_changed("editable", ROOT / "pyproject.toml", install_editable)
    if "--dev" in sys.argv:
        # Of the packages, the tests import less than a third; the first import compiles it.
        run(PYTHON, "-m", "compileall", "-q", ROOT / "src")
    else:
        run_if_changed("compiled", ROOT / "requirements.lock", compile_services)


def compile_services() -> None:
    """Compile what a start imports; compiling all packages takes longer than building the UI."""
    run(PYTHON, "-c", IMPORT_SERVICES)


def make_venv() -> None:
    if not PYTHON.exists():
        log("the first time can take some minutes, later ones take seconds")
        run(uv(), "venv", "--quiet", "--python", sys.executable, VENV)


def uv() -> str:
    """Return the system's uv, that of an earlier setup, or the pinned one from PyPI."""
    earlier = PYTHON.with_name("uv")
    found = shutil.which("uv") or (earlier if earlier.exists() else None)
    return str(found or fetch_uv(ROOT / "requirements-uv.lock", ROOT / "build" / "uv"))


def install(lock: str) -> None:
    def action() -> None:
        log(f"installing {lock}")
        pip_install("--require-hashes", "-r", ROOT / lock)

    run_if_changed(lock, ROOT / lock, action)


def install_editable() -> None:
    pip_install("--no-deps", "--no-build-isolation", "--editable", ROOT)


def pip_install(*arguments: str | Path) -> None:
    run(uv(), "pip", "install", "--quiet", "--python", PYTHON, *arguments)


def build_ui() -> None:
    environment = node_environment()
    # Only the checks and tests need the development packages.
    everything = "--dev" in sys.argv or is_current("node_modules", NPM_LOCK, NODE_MODULES)
    wanted, options = ("node_modules", ()) if everything else ("node_modules-build", OMIT)

    def install_packages() -> None:
        log("installing the packages of the web UI")
        for other in ("node_modules", "node_modules-build"):
            (STAMPS / other).unlink(missing_ok=True)
        run("npm", "ci", *NPM_OPTIONS, *options, environment=environment)

    run_if_changed(wanted, NPM_LOCK, install_packages, made=NODE_MODULES)
    # The build skips steps whose inputs are unchanged. The demo needs no compressed files.
    build = ("build",) if "--dev" in sys.argv else ("build", "uncompressed")
    run("node", "scripts/ui.mjs", *build, environment=environment)


def node_environment() -> dict[str, str]:
    """Return an environment with the system's Node if it is new enough, or with one from PyPI."""
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


def run_if_changed(name: str, source: Path, action: Callable[[], None], made: Path = VENV) -> None:
    """Run the action unless `source` is unchanged and its result still exists."""
    if is_current(name, source, made):
        return
    action()
    STAMPS.mkdir(exist_ok=True)
    (STAMPS / name).write_text(digest(source))


def is_current(name: str, source: Path, made: Path) -> bool:
    stamp = STAMPS / name
    return made.exists() and stamp.is_file() and stamp.read_text() == digest(source)


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def run(*command: str | Path, environment: Mapping[str, str] | None = None) -> None:
    code = PROGRAMS.run([str(part) for part in command], environment)
    if code:
        sys.exit(f"setup stopped: {Path(command[0]).name} failed with {code}")


class Programs:
    """The running programs of the setup. Each has its own session, which Ctrl-C does not reach:
    the Python programs among their children would print tracebacks.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: list[subprocess.Popen[bytes]] = []
        self._ended = False

    def run(self, command: list[str], environment: Mapping[str, str] | None) -> int:
        with self._lock:
            if self._ended:
                return 1
            process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
            self._running.append(process)
        code = process.wait()
        with self._lock:
            self._running.remove(process)
        return code

    def end(self) -> None:
        """End all programs together with their children; no other one starts after that."""
        with self._lock:
            self._ended = True
            for process in self._running:
                # It may have ended a moment ago.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)


PROGRAMS = Programs()
PARTS = {"python": install_python, "ui": build_ui}


def log(text: str) -> None:
    print(f"setup: {text}", flush=True)


def start() -> None:
    """Run the setup in a thread, so that Ctrl-C interrupts nothing but this function."""
    with ThreadPoolExecutor() as executor:
        try:
            # The thread may already be at work while the call that starts it is interrupted.
            executor.submit(main).result()
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            print("setup stopped", file=sys.stderr, flush=True)
            PROGRAMS.end()
            # Without waiting for a download in the thread.
            os._exit(1)


if __name__ == "__main__":
    start()
