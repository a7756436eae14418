"""Run the shell blocks of the set-up page as they are written there."""

import re
import shutil
from pathlib import Path

from pipeline.report import Skipped
from pipeline.roots import Root

PROJECT = Path(__file__).resolve().parent.parent.parent
PAGE = PROJECT / "docs/setup.md"
PASSWORD = "a long enough password"
# Other programs may use the default ports of this machine.
PORTS = "SYNC_HUB=false DOWNLOADS_CNL_PORT=0 " + " ".join(
    f"{each}_PORT=0" for each in ("DOWNLOADS", "SYNC", "APP", "WIND")
)
# Waits for the program that was started last.
FUNCTIONS = """
pids=
trap 'kill $pids 2> /dev/null || true; wait' EXIT
started() {
  pids="$pids $!"
  until grep -q "Press Ctrl-C" "$1"; do
    sleep 1
    kill -0 $! || { cat "$1"; exit 1; }
  done
}
"""
# As systemd does when it starts a service: makes the folders, and runs the program as the user.
STARTED_AS_UNIT = """
for unit in /etc/systemd/system/multi-user.target.wants/quartet@*.service; do
  name=${unit##*@} name=${name%.service}
  install -d -o quartet -g quartet /etc/quartet "/var/lib/quartet/$name"
  command=$(sed -n "s/^ExecStart=//p" "$unit" | sed "s/%i/$name/")
  (cd /etc/quartet && exec sudo -u quartet env $ports $command) > "/tmp/$name.log" 2>&1 &
  started "/tmp/$name.log"
done
"""


def run_documented(root: Root, user: str, heading: str, start: str, before: str) -> str:
    """Run the lines of the blocks below a heading that begin so in one shell."""
    text = PAGE.read_text().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = [line for each in blocks if each.startswith(start) for line in each.splitlines()]
    ports = f"ports='{PORTS}'\nexport $ports"
    script = ["set -eu", ports, FUNCTIONS, before, *map(run_line, lines)]
    place = root.path / "opt/pipeline/documented.sh"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("\n".join(script))
    root.run("sh", "/opt/pipeline/documented.sh", user=user)
    return f"{len(lines)} documented lines"


def run_line(line: str) -> str:
    if line.endswith(" serve"):
        return f"{line} > started.log 2>&1 &\nstarted started.log"
    if "systemctl enable" in line:
        # Without a running systemd, nothing can be started; new versions refuse to try.
        return line.replace(" --now", "") + STARTED_AS_UNIT
    return f'echo "{PASSWORD}" | {line}' if "set-password" in line else line


def install_from_index(root: Root, user: str, packages: Path) -> str:
    """Follow "From PyPI", with the wheel that the next release would publish there."""
    wheels = list(packages.glob("*.whl"))
    if not wheels:
        raise Skipped("the packages were not built")
    root.install("python3-venv")
    shutil.rmtree(root.path / "opt/pipeline/wheels", ignore_errors=True)
    for wheel in wheels:
        root.copy_in(wheel, f"/opt/pipeline/wheels/{wheel.name}")
    before = (
        "export PIP_FIND_LINKS=/opt/pipeline/wheels\n"
        'rm -rf ~/.local/share/quartet-program\ncd "$(mktemp -d)"'
    )
    return run_documented(root, user, "From PyPI", "python3", before)


def install_service(root: Root) -> str:
    """Follow "systemd" for the whole machine, in the checkout of root. systemd does not run in a
    folder, so it enables the services, which are then started as it would start them.
    """
    if not (root.path / "root/quartet/.venv").exists():
        raise Skipped("the setup of the README did not succeed")
    root.install("python3-venv", "sudo", "systemd")
    left = "rm -rf /opt/quartet /var/lib/quartet /etc/systemd/system/*/quartet@*"
    before = f"userdel quartet 2> /dev/null || true\n{left}\ncd /root/quartet"
    return run_documented(root, "root", "systemd", "sudo", before)
