"""Fetch uv with nothing but Python's standard library.

Debian packages `venv` and `ensurepip` separately, so the setup expects neither. The lock file pins
uv by the hashes of its wheels, so any index may deliver it.
"""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterable, Mapping
from importlib import import_module
from io import BytesIO
from pathlib import Path

# Where CPython and Debian keep a pip for new environments.
PIP_FOLDERS = (Path(os.__file__).parent / "ensurepip/_bundled", Path("/usr/share/python-wheels"))
PIP_PACKAGE = "python3-pip-whl"
TIMEOUT_SECONDS = 60
# Every index lists its files as links with their hash (PEP 503).
LINK = re.compile(r'href="([^"#]+\.whl)#sha256=([0-9a-f]{64})"')


def fetch_uv(lock: Path, target: Path) -> Path:
    """Return the uv pinned by the lock file; fetch it into `target` if it is missing there."""
    text = lock.read_text()
    program = target / hashlib.sha256(text.encode()).hexdigest()[:16] / "uv"
    if program.exists():
        return program
    index = index_url(os.environ)
    try:
        page = download(f"{index}/uv/").decode()
        url, digest = choose_wheel(page, set(re.findall(r"sha256:([0-9a-f]{64})", text)))
        wheel = download(urllib.parse.urljoin(f"{index}/uv/", url))
    except urllib.error.URLError as error:
        sys.exit(f"setup stopped: cannot fetch uv from {index}: {error.reason}{advice(error)}")
    if hashlib.sha256(wheel).hexdigest() != digest:
        sys.exit(f"setup stopped: {url} does not have the hash in {lock.name}")
    unpack(wheel, program)
    return program


def index_url(environ: Mapping[str, str]) -> str:
    found = environ.get("UV_DEFAULT_INDEX") or environ.get("PIP_INDEX_URL")
    found = found or index_of_pip(*PIP_FOLDERS) or index_of_packaged_pip()
    if not found:
        sys.exit(
            "setup stopped: Python has no pip, so name a package index, for example with "
            "`PIP_INDEX_URL=https://…/simple make run`, or install uv first"
        )
    return found.rstrip("/")


def index_of_pip(*folders: Path) -> str | None:
    """Return the index that pip uses by default, if there is a pip, even one that cannot run."""
    wheels = [str(wheel) for folder in folders for wheel in folder.glob("pip-*.whl")]
    sys.path += wheels
    try:
        return str(import_module("pip._internal.models.index").PyPI.simple_url)
    except (ImportError, AttributeError):
        return None
    finally:
        sys.path[:] = [each for each in sys.path if each not in wheels]


def index_of_packaged_pip() -> str | None:
    """Ask the pip in a Debian package, which apt fetches and verifies without root rights."""
    if not shutil.which("apt-get"):
        return None
    with tempfile.TemporaryDirectory() as folder:
        for command in (
            ["apt-get", "-qq", "download", PIP_PACKAGE],
            ["sh", "-c", "dpkg-deb --extract *.deb ."],
        ):
            if subprocess.run(command, cwd=folder, stderr=subprocess.DEVNULL).returncode:
                return None
        return index_of_pip(Path(folder, "usr/share/python-wheels"))


def choose_wheel(page: str, hashes: set[str]) -> tuple[str, str]:
    """Return address and hash of the pinned wheel for this machine."""
    listed = {url: digest for url, digest in LINK.findall(page) if digest in hashes}
    for part in platform_parts():
        for url in sorted(listed):
            name = url.rsplit("/", 1)[-1]
            if part in name and f"{platform.machine()}." in name:
                return url, listed[url]
    machine = f"{sys.platform} on {platform.machine()}"
    sys.exit(f"setup stopped: there is no uv for {machine}; install uv first")


def platform_parts() -> Iterable[str]:
    # The musl wheel contains a static program, which also runs with glibc.
    return ("macosx",) if sys.platform == "darwin" else ("musllinux", "manylinux", "linux")


def download(url: str) -> bytes:
    request = urllib.request.Request(url, headers={"User-Agent": "quartet-setup"})
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
        content: bytes = answer.read()
    return content


def advice(error: urllib.error.URLError) -> str:
    missing = "CERTIFICATE_VERIFY_FAILED" in str(error.reason)
    return " (is the package ca-certificates installed?)" if missing else ""


def unpack(wheel: bytes, program: Path) -> None:
    with zipfile.ZipFile(BytesIO(wheel)) as archive:
        inside = next(name for name in archive.namelist() if name.endswith("/scripts/uv"))
        content = archive.read(inside)
    program.parent.mkdir(parents=True, exist_ok=True)
    # Renamed at the end, so that an interrupted setup leaves no half of a program.
    partial = program.with_suffix(".part")
    partial.write_bytes(content)
    partial.chmod(0o755)
    partial.replace(program)
