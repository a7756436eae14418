"""What a device shows of its folders, and how its owner changes that."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from quartet.sync.agent import places
from quartet.sync.agent.applier import DesiredStateApplier
from quartet.sync.agent.commands import commands
from quartet.sync.agent.paths import PathPolicy, expanded
from quartet.sync.agent.places import default_places, list_folders, list_places
from quartet.sync.agent.store import JoinedServer, Store
from quartet.sync.engine.ignores import WrittenPatterns, set_ignores
from quartet.sync.engine.rest import Access, Rest
from quartet.sync.engine.types import EngineFolder
from quartet.sync.protocol import Inspect
from quartet.sync.protocol.limits import PATTERNS


@pytest.fixture
def policy(tmp_path: Path) -> PathPolicy:
    home = tmp_path / "home"
    for each in (".agent", ".ssh", "Documents", "Music/Live", "music b"):
        (home / each).mkdir(parents=True)
    (home / "letter.txt").write_text("private")
    (home / "link").symlink_to("/etc")
    return PathPolicy([home], home, home / ".agent")


def names(policy: PathPolicy, path: Path) -> list[str] | None:
    found = list_folders(policy, path)
    return found.names if found else None


def test_only_visible_folders_are_listed(policy: PathPolicy) -> None:
    assert names(policy, policy.home) == ["Documents", "Music", "music b"]
    assert names(policy, policy.home / "Music") == ["Live"]
    assert names(policy, policy.home / "Music/Live") == []


def test_patterns_are_not_read_through_links(policy: PathPolicy, tmp_path: Path) -> None:
    """Another device may have synced a link with this name, which leads to a secret file."""
    applier = DesiredStateApplier(Store(tmp_path / "agent"), lambda: policy)

    def patterns(path: Path) -> list[str]:
        return applier.inspect(Inspect(1, str(path))).ignore_patterns

    music = policy.home / "Music"
    (music / ".stignore").write_text("*.tmp\n")
    (policy.home / "letter.txt").rename(policy.home / ".ssh/key")
    (music / "Live/.stignore").symlink_to("../../.ssh/key")
    os.mkfifo(policy.home / "Documents/.stignore")
    assert patterns(music) == ["*.tmp"]
    assert patterns(music / "Live") == []
    assert patterns(policy.home / "Documents") == []
    (policy.home / "music b/.stignore").write_text("x\n" * 1_000_000)
    assert len(patterns(policy.home / "music b")) == PATTERNS


@pytest.mark.anyio
async def test_lines_behind_a_link_do_not_become_patterns(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("private\n")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos/.stignore").symlink_to("../key")
    place = str(tmp_path / "photos")
    folder = EngineFolder(id="photos", label="Photos", path=place, ignore_patterns=["*.tmp"])
    # Without an engine: nothing is sent to it.
    rest = Rest(Access("127.0.0.1:1", "key"))
    for new in (frozenset({"photos"}), frozenset[str]()):
        found = await set_ignores(rest, [folder], new, WrittenPatterns(tmp_path))
        assert found["photos"].code == "bad_ignore_pattern"
    await rest.close()
    assert (tmp_path / "photos/.stignore").is_symlink()


@pytest.mark.parametrize(
    "path", ["/", "/etc", "..", "Music/../..", ".ssh", "link", ".agent", "missing", "letter.txt"]
)
def test_nothing_else_is_listed(policy: PathPolicy, path: str) -> None:
    assert names(policy, policy.home / path) is None
    assert names(policy, Path(path)) is None


def test_folder_of_agent_is_not_listed_even_if_visible(policy: PathPolicy) -> None:
    own = replace(policy, own=policy.home / "Music")
    assert names(own, policy.home) == ["Documents", "music b"]
    assert names(own, policy.home / "Music/Live") is None


def test_list_has_limit(policy: PathPolicy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "FOLDER_NAMES", 2)
    found = list_folders(policy, policy.home)
    assert found is not None
    assert (found.names, found.more) == (["Documents", "Music"], True)
    monkeypatch.setattr(places, "MOST_ENTRIES", 1)
    found = list_folders(policy, policy.home)
    assert found is not None
    assert found.more


def test_places_are_those_that_owner_allows(
    policy: PathPolicy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disks = tmp_path / "disks"
    for each in ("usb", "not mounted"):
        (disks / each).mkdir(parents=True)
    monkeypatch.setattr(places, "disk_parents", lambda _system: [disks])
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path).name == "usb")
    home = policy.home
    found = list_places(replace(policy, allowed=[home, disks]))
    assert [(each.kind, each.path) for each in found] == [
        ("home", str(home)),
        ("documents", str(home / "Documents")),
        ("disk", str(disks / "usb")),
    ]
    assert all(each.free_bytes > 0 for each in found)
    # Only what is below an allowed folder is a place.
    only = list_places(replace(policy, allowed=[home / "Music"]))
    assert [(each.kind, each.path) for each in only] == [("allowed", str(home / "Music"))]


def test_documents_folder_may_have_another_name(policy: PathPolicy) -> None:
    (policy.home / "Dokumente").mkdir()
    (policy.home / ".config").mkdir()
    (policy.home / ".config/user-dirs.dirs").write_text('XDG_DOCUMENTS_DIR="$HOME/Dokumente"\n')
    assert str(policy.home / "Dokumente") in {each.path for each in list_places(policy)}


def test_home_and_disks_are_allowed_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path("/home/ada")
    monkeypatch.setattr("getpass.getuser", lambda: "ada")
    linux = [home, Path("/media/ada"), Path("/run/media/ada"), Path("/mnt")]
    assert default_places(home, "linux") == linux
    assert default_places(home, "macos") == [home, Path("/Volumes")]
    monkeypatch.setenv("SYSTEMDRIVE", "C:")
    windows = [str(each) for each in default_places(home, "windows")]
    assert "D:\\" in windows
    assert "C:\\" not in windows


def test_tilde_is_expanded() -> None:
    home = Path("/home/ada")
    assert expanded("~/Sync/Photos", home) == "/home/ada/Sync/Photos"
    assert expanded("/srv/~/x", home) == "/srv/~/x"
    assert expanded("~bob/x", home) == "~bob/x"


def test_owner_changes_allowed_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    store = Store(tmp_path / "agent")
    store.join(JoinedServer("https://sync.example.org"))

    def allow(*arguments: str) -> list[str]:
        done = CliRunner().invoke(commands, ["allow", "--dir", str(store.folder), *arguments])
        assert done.exit_code == 0, done.output
        return done.output.split()

    assert allow()[0] == str(tmp_path)
    assert store.joined().allow == ()
    assert allow("/srv/shared")[-1] == "/srv/shared"
    rest = allow("--remove", str(tmp_path))
    assert str(tmp_path) not in rest
    assert list(store.joined().allow) == rest
    assert allow("--reset")[0] == str(tmp_path)
    assert store.joined().allow == ()
