"""The setup of a checkout needs nothing but Python, git and make."""

import hashlib
import io
import os
import platform
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

# The scripts are no package: `make` runs them before anything is installed.
sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))
import setup
import system_programs
import uv_bootstrap

ROOT = Path(__file__).parent.parent
PROGRAM = b"#!/bin/sh\necho uv\n"


def wheel_of(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("uv-1.data/scripts/uv", content)
        archive.writestr("uv-1.data/scripts/uvx", b"other")
    return buffer.getvalue()


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that serves as package index, with a wheel for this machine and for another."""
    folder = tmp_path / "index" / "uv"
    folder.mkdir(parents=True)
    links = ""
    for machine in ("pdp11", platform.machine()):
        name = f"uv-1-py3-none-musllinux_1_1_{machine}.whl"
        wheel = wheel_of(PROGRAM if machine == platform.machine() else b"other")
        (folder / name).write_bytes(wheel)
        links += f'<a href="{name}#sha256={hashlib.sha256(wheel).hexdigest()}">{name}</a>\n'
    monkeypatch.setattr(
        uv_bootstrap, "download", lambda url: (folder / Path(url).name).read_bytes()
    )
    (folder / "uv").write_text(links)
    return folder


def lock_file(tmp_path: Path, *contents: bytes) -> Path:
    lock = tmp_path / "uv.lock"
    hashes = [f"    --hash=sha256:{hashlib.sha256(each).hexdigest()}" for each in contents]
    lock.write_text("uv==1 \\\n" + " \\\n".join(hashes))
    return lock


def test_uv_is_unpacked_from_pinned_wheel_of_this_machine(tmp_path: Path, index: Path) -> None:
    lock = lock_file(tmp_path, wheel_of(b"other"), wheel_of(PROGRAM))
    found = uv_bootstrap.fetch_uv(lock, tmp_path / "uv")
    assert found.read_bytes() == PROGRAM
    assert os.access(found, os.X_OK)
    for file in index.iterdir():
        file.unlink()
    assert uv_bootstrap.fetch_uv(lock, tmp_path / "uv") == found


def test_uv_without_pinned_hash_is_refused(tmp_path: Path, index: Path) -> None:
    with pytest.raises(SystemExit, match="there is no uv for"):
        uv_bootstrap.fetch_uv(lock_file(tmp_path, b"another wheel"), tmp_path / "uv")


def test_changed_wheel_is_refused(tmp_path: Path, index: Path) -> None:
    lock = lock_file(tmp_path, wheel_of(PROGRAM))
    [wheel] = index.glob(f"*{platform.machine()}.whl")
    wheel.write_bytes(wheel_of(b"changed"))
    with pytest.raises(SystemExit, match="does not have the hash"):
        uv_bootstrap.fetch_uv(lock, tmp_path / "uv")
    assert not (tmp_path / "uv").exists()


def test_index_of_environment_is_used() -> None:
    assert (
        uv_bootstrap.index_url({"PIP_INDEX_URL": "https://a.example/s/"}) == "https://a.example/s"
    )


@pytest.fixture
def without_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    without = [each for each in sys.path if not Path(each, "pip").is_dir()]
    monkeypatch.setattr(sys, "path", without)
    forget_pip(monkeypatch)


def forget_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.split(".")[0] == "pip"]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.usefixtures("without_pip")
def test_default_index_is_that_of_the_bundled_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    if any(any(folder.glob("pip-*.whl")) for folder in uv_bootstrap.PIP_FOLDERS):
        assert uv_bootstrap.index_url({}).endswith("/simple")
    monkeypatch.setattr(uv_bootstrap, "index_of_pip", lambda *_folders: None)
    monkeypatch.setattr(uv_bootstrap, "index_of_packaged_pip", lambda: None)
    with pytest.raises(SystemExit, match="name a package index"):
        uv_bootstrap.index_url({})


@pytest.mark.usefixtures("without_pip")
def test_pip_of_a_debian_package_names_the_index_if_python_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "apt-get"
    program.write_text(
        "#!/bin/sh\n"
        "[ \"$*\" = '-qq download python3-pip-whl' ] || exit 1\n"
        "mkdir -p package/DEBIAN package/usr/share/python-wheels\n"
        "cp $WHEEL package/usr/share/python-wheels/\n"
        "printf 'Package: p\\nVersion: 1\\nArchitecture: all\\nMaintainer: a <a@b.example>\\n"
        "Description: p\\n' > package/DEBIAN/control\n"
        "dpkg-deb --build package p.deb > /dev/null\n"
    )
    program.chmod(0o755)
    wheel = tmp_path / "pip-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("pip/__init__.py", "")
        archive.writestr("pip/_internal/__init__.py", "")
        archive.writestr("pip/_internal/models/__init__.py", "")
        index = "class PyPI:\n    simple_url = 'https://a.example/simple'\n"
        archive.writestr("pip/_internal/models/index.py", index)
    monkeypatch.setattr(uv_bootstrap, "PIP_FOLDERS", ())
    monkeypatch.setenv("WHEEL", str(wheel))
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert uv_bootstrap.index_url({}) == "https://a.example/simple"
    program.write_text("#!/bin/sh\nexit 100\n")
    forget_pip(monkeypatch)
    with pytest.raises(SystemExit, match="name a package index"):
        uv_bootstrap.index_url({})


def test_caches_are_kept_in_checkout_if_home_is_not_writable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = {"HOME": str(tmp_path)}
    assert setup.writable_caches(home) == {}
    # Root may write everywhere, so the answer of the system is replaced.
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    found = setup.writable_caches(home)
    assert found.keys() == {"UV_CACHE_DIR", "npm_config_cache"}
    assert {Path(each).is_relative_to(ROOT / "build") for each in found.values()} == {True}


CHILD = "import time; print('ready', flush=True); time.sleep(600)"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CHILD!r}])"
SETUP = f"""
import sys
sys.path.insert(0, {str(ROOT / "scripts")!r})
import setup
setup.PARTS = {{"python": lambda: setup.run(sys.executable, "-c", {PARENT!r})}}
sys.argv = ["setup.py", "python"]
"""
INTERRUPTED_WHILE_STARTING = """
submit = setup.ThreadPoolExecutor.submit
def start_and_interrupt(executor, work):
    submit(executor, work)
    raise KeyboardInterrupt
setup.ThreadPoolExecutor.submit = start_and_interrupt
"""


def setup_with(*parts: str) -> subprocess.Popen[str]:
    # A terminal sends Ctrl-C to the whole group. The child would keep the output open.
    return subprocess.Popen(
        [sys.executable, "-c", "".join((SETUP, *parts, "setup.start()"))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_setup_interrupted_by_ctrl_c_ends_its_programs_without_traceback() -> None:
    interrupted = setup_with()
    assert interrupted.stdout and interrupted.stdout.readline() == "ready\n"
    os.killpg(interrupted.pid, signal.SIGINT)
    output = interrupted.communicate(timeout=60)
    assert (interrupted.returncode, *output) == (1, "", "setup stopped\n")


def test_setup_interrupted_while_its_thread_starts_ends() -> None:
    interrupted = setup_with(INTERRUPTED_WHILE_STARTING)
    _, errors = interrupted.communicate(timeout=60)
    assert (interrupted.returncode, errors) == (1, "setup stopped\n")


def test_setup_needs_neither_venv_nor_ensurepip() -> None:
    """Debian has them in packages of their own."""
    script = (
        "import sys\n"
        "sys.modules |= {'venv': None, 'ensurepip': None, 'pip': None}\n"
        f"sys.path.insert(0, {str(ROOT / 'scripts')!r})\n"
        "import setup\n"
        "setup.uv = lambda: 'uv'\n"
        "setup.run = lambda *command, **_: print(*command[:2])\n"
        "setup.PYTHON = setup.Path('/nowhere')\n"
        "setup.make_venv()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.splitlines()[1:] == ["uv venv"] and done.stderr == ""


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A checkout whose packages are installed in pretence; returns the commands of npm."""
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "package-lock.json").write_text("{}")
    commands: list[str] = []
    monkeypatch.setattr(setup, "STAMPS", tmp_path / "stamps")
    monkeypatch.setattr(setup, "NPM_LOCK", tmp_path / "package-lock.json")
    monkeypatch.setattr(setup, "NODE_MODULES", tmp_path / "node_modules")
    monkeypatch.setattr(setup, "node_environment", dict)
    monkeypatch.setattr(setup, "run", lambda *command, **_: commands.append(" ".join(command)))
    return commands


def test_only_development_installs_packages_of_checks(
    npm: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    omitted = []
    for arguments in ([], [], ["--dev"], ["--dev"], []):
        monkeypatch.setattr(sys, "argv", ["setup.py", *arguments])
        npm.clear()
        setup.build_ui()
        omitted.append(["--omit=dev" in each for each in npm if " ci " in each])
    # The first run, then that of `make dev`; the others find everything installed.
    assert omitted == [[True], [], [False], [], []]


def test_programs_of_ubuntu_exclude_chromium(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_programs, "is_installed", lambda program: False)
    monkeypatch.setattr(system_programs, "OS_RELEASE", tmp_path / "os-release")
    system = {"a": "chromium", "b": "nginx"}
    (tmp_path / "os-release").write_text("NAME=x\nID=debian\n")
    assert system_programs._missing(system) == ["chromium", "nginx"]
    (tmp_path / "os-release").write_text("NAME=x\nID=ubuntu\n")
    assert system_programs._missing(system) == ["nginx"]


@pytest.mark.parametrize("problem", ["", "no network"])
def test_demo_installs_syncthing_if_possible(
    problem: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands: list[str] = []

    def apt(_prefix: list[str], *command: str) -> str:
        commands.append(command[-1])
        return problem

    monkeypatch.setattr(system_programs, "_apt", apt)
    monkeypatch.setattr(system_programs, "is_installed", lambda program: False)
    monkeypatch.setattr(sys, "argv", ["system_programs.py", "demo"])
    monkeypatch.setattr(system_programs, "_install_prefix", lambda: None)
    system_programs.main()
    assert commands == []
    monkeypatch.setattr(system_programs, "_install_prefix", list)
    # The demo starts in any case.
    system_programs.main()
    assert commands == (["update"] if problem else ["update", "syncthing"])
    assert ("could not install" in capsys.readouterr().err) == bool(problem)


def test_run_installs_programs_of_demo_before_it_starts() -> None:
    recipe = (ROOT / "Makefile").read_text().split("\nrun:")[1].split("\n\n")[0]
    assert recipe.index("system_programs.py demo") < recipe.index("quartet serve --demo")
