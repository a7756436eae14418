"""Install the programs that tests, demo or pipeline start, if permissions allow it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

# Maps programs to Debian packages.
NEEDED_BY_TESTS = {
    "aria2c": "aria2",
    "chromium": "chromium",
    "curl": "curl",
    "fail2ban-server": "fail2ban",
    "nginx": "nginx",
    "postgres": "postgresql",
    "redis-server": "redis-server",
    "sshd": "openssh-server",
    "syncthing": "syncthing",
}
# The demo also runs without it, but then sync shows no devices.
USED_BY_DEMO = {"syncthing": "syncthing"}
# The pipeline skips the steps for which they are missing.
USED_BY_PIPELINE = {"buildah": "buildah", "mmdebstrap": "mmdebstrap"}
# Halves the CPU time of browser tests; not every Debian has it.
OPTIONAL = {"chromium-headless-shell": "chromium-headless-shell"}
# On Ubuntu the package of Chromium only installs a snap, which does not run in containers. The
# tests use Playwright's build there, which `browser` fetches.
ONLY_DEBIAN = {"chromium", "chromium-headless-shell"}
OS_RELEASE = Path("/etc/os-release")
PLAYWRIGHT = Path(__file__).resolve().parent.parent / ".venv" / "bin" / "playwright"
INSTALL = ("install", "--yes", "--no-install-recommends")
# Give up quickly without a network.
FAIL_FAST = ("-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=20")


def main() -> None:
    if "browser" in sys.argv:
        install_browser()
        return
    for purpose, programs in (("demo", USED_BY_DEMO), ("pipeline", USED_BY_PIPELINE)):
        if purpose in sys.argv:
            if missing := _missing(programs):
                install_if_possible(missing, purpose)
            return
    if missing := _missing(NEEDED_BY_TESTS):
        install_system_packages(missing)
    if missing := _missing(OPTIONAL):
        _install_optional(missing)


def _missing(programs: Mapping[str, str]) -> list[str]:
    left_out = ONLY_DEBIAN if is_ubuntu() else set()
    return [
        package
        for name, package in programs.items()
        if package not in left_out and not is_installed(name)
    ]


def is_ubuntu() -> bool:
    return OS_RELEASE.exists() and "ID=ubuntu" in OS_RELEASE.read_text().splitlines()


def install_browser() -> None:
    """Fetch Playwright's Chromium if the system has none; its libraries need permissions."""
    if is_installed("chromium") and not is_ubuntu():
        return
    libraries = ["--with-deps"] if _install_prefix() is not None else []
    subprocess.run([PLAYWRIGHT, "install", *libraries, "chromium"])


def is_installed(program: str) -> bool:
    # Debian does not put server programs on a user's PATH.
    places = [*os.environ["PATH"].split(os.pathsep), "/usr/sbin"]
    places += [str(path) for path in Path("/usr/lib/postgresql").glob("*/bin")]
    return shutil.which(program, path=os.pathsep.join(places)) is not None


def install_system_packages(packages: Sequence[str]) -> None:
    """Install packages with apt as root or through sudo; otherwise print which ones are missing."""
    prefix = _install_prefix()
    if prefix is None:
        print(f"missing, please install: {' '.join(packages)}", file=sys.stderr, flush=True)
        return
    print(f"installing {' '.join(packages)}", flush=True)
    if problem := _apt(prefix, "update") or _apt(prefix, *INSTALL, *packages):
        print(problem, file=sys.stderr)
        sys.exit(f"could not install {' '.join(packages)}")


def install_if_possible(packages: Sequence[str], purpose: str) -> None:
    """Install packages if possible; the demo and the pipeline say themselves what is missing."""
    prefix, names = _install_prefix(), " ".join(packages)
    if prefix is None:
        return
    print(f"installing {names} for the {purpose}", flush=True)
    if _apt(prefix, *FAIL_FAST, "update") or _apt(prefix, *FAIL_FAST, *INSTALL, *packages):
        print(f"could not install {names}", file=sys.stderr, flush=True)


def _install_optional(packages: Sequence[str]) -> None:
    """Install optional packages from the package lists that are present, so that a failure is
    quick.
    """
    prefix = _install_prefix()
    if prefix is not None and not _apt(prefix, *FAIL_FAST, *INSTALL, *packages):
        print(f"installed {' '.join(packages)}", flush=True)


def _apt(prefix: Sequence[str], *command: str) -> str:
    """Run apt-get and return its output if it failed, else an empty string."""
    apt = [*prefix, "apt-get", "-qq", "-o", "Dpkg::Use-Pty=0", *command]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(apt, env=environment, capture_output=True, text=True)
    said = done.stdout + done.stderr or f"apt-get ended with {done.returncode}"
    return said if done.returncode else ""


def _install_prefix() -> list[str] | None:
    if not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"]).returncode == 0:
        return ["sudo", "-n", "--preserve-env=DEBIAN_FRONTEND"]
    return None


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped")
