import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from quartet.kernel.privileges import drop_privileges
from quartet.kernel.settings import SettingsError

CHILD = """
import os, sys
from pathlib import Path
from quartet.kernel.privileges import drop_privileges

folder = Path(sys.argv[1])
if "ORDINARY" in os.environ:
    os.setuid(int(os.environ["ORDINARY"]))
drop_privileges([folder], os.environ)
(folder / "written").touch()
print(os.getuid(), os.geteuid(), os.getgid(), os.getegid(), os.getgroups(), oct(os.umask(0)))
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@pytest.fixture
def folder() -> Iterator[Path]:
    # Not pytest's tmp_path, which only the current user can enter.
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name) / "data"


def start(folder: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", CHILD, str(folder)],
        env={"PATH": "/usr/bin:/bin", **environ},
        capture_output=True,
        text=True,
    )


def owner(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_uid, found.st_gid


@as_root
def test_root_switches_to_configured_user(folder: Path) -> None:
    done = start(folder, PUID="1234", PGID="2345", UMASK="027")
    assert done.stdout == "1234 1234 2345 2345 [] 0o27\n", done.stderr
    assert owner(folder) == (1234, 2345)
    assert owner(folder / "written") == (1234, 2345)


@as_root
def test_new_user_owns_nested_files(folder: Path) -> None:
    key = folder / "keys" / "secrets.key"
    key.parent.mkdir(parents=True)
    key.touch()
    (folder / "link").symlink_to("/etc")
    start(folder, PUID="1234")
    assert owner(key) == (1234, 1234)
    start(folder, PUID="2345")
    assert owner(key) == owner(key.parent) == owner(folder / "link") == (2345, 2345)
    assert owner(Path("/etc/passwd")) == (0, 0)


@as_root
def test_group_defaults_to_user_id(folder: Path) -> None:
    assert start(folder, PUID="1234").stdout.startswith("1234 1234 1234 1234 []")


@as_root
def test_owner_of_root_files_is_changed(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    (folder / "downloads.sqlite3").touch(mode=0o600)
    (folder / "keys").mkdir()
    assert start(folder, PUID="1234").returncode == 0
    assert owner(folder / "downloads.sqlite3") == (1234, 1234)
    assert owner(folder / "keys") == (1234, 1234)


@as_root
def test_link_targets_are_not_changed(folder: Path) -> None:
    folder.mkdir()
    outside = folder.parent / "outside"
    outside.touch()
    (folder / "link").symlink_to(outside)
    assert start(folder, PUID="1234").returncode == 0
    assert owner(outside) == (0, 0)
    assert owner(folder / "link") == (1234, 1234)


@as_root
def test_root_without_puid_stays_root(folder: Path) -> None:
    folder.mkdir()
    os.chown(folder, 1234, 1234)
    assert start(folder, PUID="", PGID="2345").stdout.startswith("0 0 ")
    assert owner(folder) == (1234, 1234)


@as_root
def test_ordinary_user_is_not_changed(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    done = start(folder, PUID="1234", ORDINARY="4321", UMASK="077")
    assert done.stdout.startswith("4321 4321 "), done.stderr
    assert done.stdout.endswith(" 0o77\n")
    assert owner(folder) == (0, 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PUID", "root"),
        ("PUID", "-1"),
        ("PUID", " 1000"),
        ("PUID", "1000\n"),
        ("PUID", "1e3"),
        ("PUID", "4294967295"),
        ("PUID", "\N{ARABIC-INDIC DIGIT ONE}"),
        ("PGID", "users"),
        ("PGID", "99999999999"),
        ("UMASK", "088"),
        ("UMASK", "1777"),
        ("UMASK", "0o22"),
    ],
)
def test_invalid_ids_are_rejected_by_name(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"^{name} has an invalid value "):
        drop_privileges([], {"PUID": "1000", name: value})
