"""Build the image, start it with the values of the shipped compose file, and sync through it.

Without a Docker daemon, buildah builds it and chroot starts it. Without a registry, its base images
are made from Debian packages.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.report import Failed, Skipped
from pipeline.roots import CERTIFICATES
from pipeline.steps import PROJECT

IMAGE = "ghcr.io/quartet-project/quartet:latest"
DOCKERFILE = PROJECT / "deploy" / "Dockerfile"
COMPOSE = PROJECT / "deploy" / "compose.yaml"
BASES = re.compile(r"^FROM (?:--platform=\S+ )?(\S+:\S+)", re.MULTILINE)
# What buildah says where there is no registry.
NO_REGISTRY = ("pinging container registry", "initializing source", "short-name resolution")
# The release of Debian with the Python of the base image.
BASE_SUITE = "trixie"
BASE_PACKAGES = "apt,ca-certificates,python3,python3-pip,python3-venv"
# Downloads the pinned Syncthing from GitHub.
ENGINE = re.compile(r"^RUN .*quartet\.sync\.engine\.download.*$", re.MULTILINE)
DEBIAN_ENGINE = (
    "RUN apt-get update && apt-get install --yes --no-install-recommends syncthing"
    " && install -D /usr/bin/syncthing /opt/engine/syncthing"
)
FEATURES = """
import subprocess, sys
from pathlib import Path
for program in ("ffmpeg", "syncthing"):
    subprocess.run([program, "--version" if program == "syncthing" else "-version"],
                   check=True, stdout=subprocess.DEVNULL)
if tests := [each for each in Path("/opt/quartet").rglob("tests") if each.is_dir()]:
    sys.exit(f"the image contains tests: {tests[:3]}")
import quartet
if not (Path(quartet.__path__[0]) / "ui/downloads/extension/quartet-firefox.zip").exists():
    sys.exit("the image lacks the browser extension")
"""
LABELS = ("title", "description", "url", "source", "documentation", "licenses", "version")
AS_JSON = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"


def has_docker() -> bool:
    return bool(
        shutil.which("docker")
        and not subprocess.run(["docker", "info"], capture_output=True).returncode
    )


def build_image() -> str:
    if has_docker():
        run("docker", "build", "--file", str(DOCKERFILE), "--tag", IMAGE, ".")
        return "built with Docker"
    if not shutil.which("buildah"):
        raise Skipped("neither a Docker daemon nor buildah is available")
    done = buildah_build("--file", str(DOCKERFILE))
    if not done.returncode:
        return "built with buildah"
    if not any(reason in done.stderr for reason in NO_REGISTRY):
        raise Failed(f"buildah: {done.stderr[-300:]}")
    return build_from_local_bases()


def buildah_build(*options: str) -> "subprocess.CompletedProcess[str]":
    command = ["buildah", "build", "--isolation", "chroot", *options, "--tag", IMAGE]
    return subprocess.run([*command, "."], cwd=PROJECT, capture_output=True, text=True)


def build_from_local_bases() -> str:
    text = DOCKERFILE.read_text()
    make_bases(sorted(set(BASES.findall(text))))
    note = ""
    with tempfile.NamedTemporaryFile("w", suffix=".Dockerfile") as file:
        if subprocess.run(engine_test(), capture_output=True).returncode:
            text, note = ENGINE.sub(DEBIAN_ENGINE, text), "; Syncthing of Debian, without GitHub"
        file.write(text)
        file.flush()
        done = buildah_build("--pull-never", "--file", file.name)
    if done.returncode:
        raise Failed(f"buildah: {done.stderr[-1000:]}")
    return f"built with buildah on bases made of Debian packages, without a registry{note}"


def engine_test() -> list[str]:
    url = "https://github.com/syncthing/syncthing/releases"
    script = f"import urllib.request; urllib.request.urlopen({url!r}, timeout=20)"
    return [sys.executable, "-c", script]


def make_bases(names: list[str]) -> None:
    """Tag one image with Python and Node as each base image of the Dockerfile."""
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        raise Skipped("the base images cannot be pulled, and making them needs root rights")
    full = [name if "/" in name else f"docker.io/library/{name}" for name in names]
    known = [["buildah", "inspect", "--type", "image", each] for each in full]
    if not any(subprocess.run(each, capture_output=True).returncode for each in known):
        return
    container = run("buildah", "from", "scratch")
    try:
        place = Path(run("buildah", "mount", container))
        options = ("--variant=minbase", f"--include={BASE_PACKAGES}", "--skip=output/dev")
        archive = place.parent / "base.tar"
        run("mmdebstrap", *options, BASE_SUITE, str(archive))
        run("tar", "--extract", "--file", str(archive), "--directory", str(place))
        archive.unlink()
        prepare_base(container, place)
        for name in full:
            run("buildah", "commit", container, name)
    finally:
        run("buildah", "rm", container)


def prepare_base(container: str, place: Path) -> None:
    (place / "usr/local/bin/python").symlink_to("/usr/bin/python3")
    variables = ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]
    if CERTIFICATES.exists():
        shutil.copy(CERTIFICATES, place / str(CERTIFICATES)[1:])
        names = ("SSL_CERT_FILE", "PIP_CERT", "NODE_EXTRA_CA_CERTS")
        variables += [f"{name}={CERTIFICATES}" for name in names]
    for each in variables:
        run("buildah", "config", "--env", each, container)
    shutil.copy(PROJECT / "requirements-node.lock", place / "tmp/node.lock")
    install = ("pip", "install", "--quiet", "--break-system-packages", "--require-hashes")
    run("buildah", "run", "--isolation", "chroot", container, *install, "-r", "/tmp/node.lock")


def start_image(agent: Path) -> str:
    """Start all services with the values of the compose file, and move a file between two devices
    through its sync server.
    """
    if has_docker():
        return start_with_docker(agent)
    if not shutil.which("buildah") or not run("buildah", "images", "--quiet", IMAGE, check=False):
        raise Skipped("the image was not built")
    with container_folder() as root:
        image = json.loads(run("buildah", "inspect", "--type", "image", IMAGE))["OCIv1"]["config"]
        python = ("chroot", str(root), "env", "-i", "HOME=/root", *image["Env"], "python")
        run(*python, "-c", FEATURES)
        check_labels(image["Labels"])
        compose = json.loads(run(*python, "-c", AS_JSON, stdin=COMPOSE.read_text()))
        services = compose["services"]
        ports = {
            name: [int(each.split(":")[-2]) for each in service["ports"]]
            for name, service in services.items()
        }
        # The ports of the compose file may be in use on this machine.
        own = ("unshare", "--net")
        network = own if not subprocess.run([*own, "true"]).returncode else ()
        values = {"root": str(root), "image": image, "services": services, "ports": ports}
        return check_containers(values, agent, *network)


def check_labels(labels: dict[str, str]) -> None:
    missing = [each for each in LABELS if not labels.get(f"org.opencontainers.image.{each}")]
    if missing:
        raise Failed(f"the image lacks the labels {', '.join(missing)}")


def check_containers(values: dict[str, object], agent: Path, *prefix: str) -> str:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(values, file)
        file.flush()
        check = (sys.executable, "-m", "pipeline.checks.image", file.name, str(agent))
        path = {**os.environ, "PYTHONPATH": str(PROJECT / "scripts")}
        return run(*prefix, *check, environment=path).splitlines()[-1]


@contextmanager
def container_folder() -> Iterator[Path]:
    container = run("buildah", "from", "--pull-never", IMAGE)
    try:
        root = Path(run("buildah", "mount", container))
        run("mount", "-t", "proc", "proc", str(root / "proc"))
        run("mount", "--bind", "/dev", str(root / "dev"))
        try:
            yield root
        finally:
            run("umount", str(root / "dev"), str(root / "proc"))
    finally:
        run("buildah", "rm", container)


def start_with_docker(agent: Path) -> str:
    os.environ["APP_TOKEN"] = "a-token-for-the-pipeline"
    compose = ("docker", "compose", "--file", str(COMPOSE))
    try:
        run(*compose, "up", "--wait", "--no-build")
        run(*compose, "exec", "-T", "wind", "python", "-c", FEATURES)
        [image] = json.loads(run("docker", "image", "inspect", IMAGE))
        check_labels(image["Config"]["Labels"])
        services = json.loads(run(*compose, "config", "--format", "json"))["services"]
        ports = {
            name: [int(each["published"]) for each in service["ports"]]
            for name, service in services.items()
        }
        return check_containers({"ports": ports}, agent)
    finally:
        run(*compose, "down", "--volumes")


def run(
    *command: str,
    stdin: str = "",
    check: bool = True,
    environment: dict[str, str] | None = None,
) -> str:
    done = subprocess.run(
        command, cwd=PROJECT, input=stdin, capture_output=True, text=True, env=environment
    )
    if done.returncode and check:
        print(done.stdout[-4000:], flush=True)
        raise Failed(f"{' '.join(command)[:80]}: {done.stderr[-1000:]}")
    return done.stdout.strip()
