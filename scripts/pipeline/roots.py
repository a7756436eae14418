"""Bare systems in folders, entered with chroot. Needs root rights and mmdebstrap."""

import os
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.report import Failed, Skipped

VISITOR = "visitor"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
UBUNTU = "noble"
UBUNTU_KEYS = Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")
# What the README requires, and apt.
PACKAGES = "apt,ca-certificates,git,make,python3"


@dataclass(frozen=True)
class Distribution:
    name: str
    # mmdebstrap knows the mirror of each suite.
    suite: str
    options: tuple[str, ...] = ()


DISTRIBUTIONS = (
    Distribution("debian-12", "bookworm"),
    Distribution("debian-13", "trixie"),
    Distribution("ubuntu-24.04", UBUNTU, ("--components=main,universe",)),
)


@dataclass
class Root:
    distribution: Distribution
    path: Path
    mounts: list[Path] = field(default_factory=list)

    def create(self) -> str:
        """Build the system unless an earlier run left it, and prepare a user without rights."""
        if os.geteuid() != 0:
            raise Skipped("needs root rights to build a system")
        if not shutil.which("mmdebstrap"):
            raise Skipped("mmdebstrap is not installed")
        made = self._make() if not (self.path / "usr").exists() else "built by an earlier run"
        self._connect()
        if not (self.path / "home" / VISITOR).exists():
            self.run("useradd", "--create-home", VISITOR)
        # Whoever installed git with apt has done that too.
        self.run("apt-get", "update", "-qq")
        return made

    def _make(self) -> str:
        options = [f"--include={PACKAGES}", *self.distribution.options]
        if self.distribution.suite == UBUNTU:
            options.append(f"--keyring={ubuntu_keys(self.path.parent)}")
        mmdebstrap("minbase", *options, self.distribution.suite, str(self.path))
        return f"{PACKAGES} on a minimal system"

    def _connect(self) -> None:
        """Give the system the network settings of this machine, and /proc."""
        for name in ("resolv.conf", "hosts"):
            shutil.copy(f"/etc/{name}", self.path / "etc" / name)
        if CERTIFICATES.exists():
            # The network of a company or a test machine may use its own authority.
            shutil.copy(CERTIFICATES, self.path / str(CERTIFICATES)[1:])
        (self.path / "dev/shm").chmod(0o1777)
        proc = self.path / "proc"
        if not (proc / "self").exists():
            if subprocess.run(["mount", "-t", "proc", "proc", proc]).returncode:
                raise Skipped("mounting /proc is not allowed here")
            self.mounts.append(proc)

    def command(self, *words: str, user: str = "root") -> list[str]:
        home = "/root" if user == "root" else f"/home/{user}"
        variables = {
            "HOME": home,
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG": "C.UTF-8",
            "PYTHONPATH": "/opt/pipeline",
            "DEBIAN_FRONTEND": "noninteractive",
        }
        if "PIP_INDEX_URL" in os.environ:
            variables["PIP_INDEX_URL"] = os.environ["PIP_INDEX_URL"]
        if CERTIFICATES.exists():
            # uv and Node bring their own list of authorities.
            variables |= {"SSL_CERT_FILE": str(CERTIFICATES)}
            variables |= {"NODE_EXTRA_CA_CERTS": str(CERTIFICATES)}
        pairs = [f"{name}={value}" for name, value in variables.items()]
        return ["chroot", f"--userspec={user}", str(self.path), "env", "-i", *pairs, *words]

    def run(self, *words: str, user: str = "root", seconds: float = 1800) -> str:
        """Run a command in the system; its output is shown, and returned for the table."""
        process = subprocess.Popen(
            self.command(*words, user=user),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            # Only processes of this command are in its group.
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            raise Failed(f"{words[0]} took longer than {seconds:.0f} s: {output[-300:]}") from None
        except KeyboardInterrupt:
            # The command has a session of its own, which Ctrl-C does not reach.
            os.killpg(process.pid, signal.SIGKILL)
            raise
        print(output[-4000:], flush=True)
        if process.returncode:
            raise Failed(f"{' '.join(words)[:60]} ended with {process.returncode}: {output[-300:]}")
        return output

    def install(self, *packages: str) -> None:
        self.run("apt-get", "install", "-qq", "--yes", "--no-install-recommends", *packages)

    def copy_in(self, source: Path, target: str, *, owner: str = "root") -> None:
        place = self.path / target.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, place, dirs_exist_ok=True)
        else:
            shutil.copy(source, place)
        self.run("chown", "-R", f"{owner}:", target)

    def close(self, *, remove: bool) -> None:
        for mount in self.mounts:
            subprocess.run(["umount", mount], check=True)
        if remove and self.path.exists() and not (self.path / "proc/self").exists():
            shutil.rmtree(self.path)


def ubuntu_keys(folder: Path) -> Path:
    """Return the keys of Ubuntu, which a package of Debian 13 contains; Debian 12 has none."""
    if UBUNTU_KEYS.exists():
        return UBUNTU_KEYS
    found = folder / "keys" / UBUNTU_KEYS.relative_to("/")
    if not found.exists():
        mmdebstrap("extract", "--include=ubuntu-keyring", "trixie", str(folder / "keys"))
    return found


def mmdebstrap(variant: str, *arguments: str) -> None:
    target = Path(arguments[-1])
    target.parent.mkdir(parents=True, exist_ok=True)
    command = ["mmdebstrap", f"--variant={variant}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        shutil.rmtree(target, ignore_errors=True)
        raise Skipped(f"the system cannot be built: {done.stderr.strip()[-200:]}")
