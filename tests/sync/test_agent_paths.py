"""Paths that a device lets the server use."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.kernel.errors import Problem
from quartet.sync.agent.desired import engine_config, folder_errors
from quartet.sync.agent.paths import PathChecker, PathPolicy, system_folders
from quartet.sync.protocol import DesiredFolder, DesiredState, Peer, System

HUB = "AAAAAAA-" * 7 + "AAAAAAA"


@pytest.fixture
def policy(tmp_path: Path) -> PathPolicy:
    home = tmp_path / "home"
    (home / ".agent").mkdir(parents=True)
    return PathPolicy([home], home, home / ".agent")


def code(policy: PathPolicy, path: Path | str, **taken: str) -> str | None:
    problem = problem_of(policy, path, **taken)
    return problem.code if problem else None


def problem_of(policy: PathPolicy, path: Path | str, **taken: str) -> Problem | None:
    checker = PathChecker(policy)
    for label, at in taken.items():
        assert checker.reserve(at, label) is None
    return checker.reserve(str(path), "new")


def test_folders_must_be_below_home(policy: PathPolicy) -> None:
    home = policy.home
    assert code(policy, home / "Music") is None
    assert code(policy, home / "a/b/c/") is None
    assert code(policy, home) == "path_is_home"
    assert code(policy, home.parent) == "path_is_home"
    assert code(policy, "/") == "path_is_home"
    assert code(policy, home.parent / "other") == "path_not_allowed"
    assert code(policy, "/etc/cron.d") == "path_not_allowed"
    assert code(policy, "Music") == "path_not_absolute"
    assert code(policy, "~/Music") == "path_not_absolute"
    assert code(policy, "C:\\Users\\me\\Music") == "path_not_absolute"
    assert code(policy, home / "Music/../../other") == "path_not_absolute"
    assert code(policy, home / "a\0b") == "path_not_absolute"


def test_hidden_and_agent_folders_are_refused(policy: PathPolicy) -> None:
    assert code(policy, policy.home / ".ssh") == "path_hidden"
    assert code(policy, policy.home / "Music/.config/autostart") == "path_hidden"
    assert code(policy, policy.own / "engine") == "path_not_allowed"


def test_folders_hidden_by_system_are_refused(policy: PathPolicy) -> None:
    home = policy.home
    both: dict[System, str] = {"macos": "Library", "windows": "AppData"}
    for system, hidden in both.items():
        there = replace(policy, system=system)
        for path in (hidden, f"{hidden}/LaunchAgents", f"{hidden.upper()}/Roaming/Startup"):
            assert code(there, home / path) == "path_hidden"
        assert code(there, home / f"{hidden} of mine") is None
        assert code(there, home / "Documents" / hidden) is None
        # Unless the user allowed the folder on the device.
        allowed = replace(there, allowed=[home, home / hidden / "Mobile Documents"])
        assert code(allowed, home / hidden / "Mobile Documents/notes") is None
        assert code(allowed, home / hidden / "Keychains") == "path_hidden"
    # On other systems these are ordinary names.
    assert code(replace(policy, system="linux"), home / "Library") is None


def test_symlinks_are_refused(policy: PathPolicy) -> None:
    outside = policy.home.parent / "outside"
    outside.mkdir()
    (policy.home / "link").symlink_to(outside)
    assert code(policy, policy.home / "link") == "path_is_link"
    assert code(policy, policy.home / "link/sub") == "path_is_link"


def test_allowed_folder_may_be_symlink(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "root").symlink_to(tmp_path / "real")
    policy = PathPolicy([tmp_path / "root"], tmp_path / "home", tmp_path / "own")
    assert code(policy, tmp_path / "root") is None
    assert code(policy, tmp_path / "root/sub") is None
    assert code(policy, tmp_path / "real/sub") == "path_not_allowed"


def test_system_folders_are_refused_even_if_root_is_allowed(tmp_path: Path) -> None:
    policy = PathPolicy([Path("/")], tmp_path / "home", tmp_path / "own")
    assert code(policy, "/srv/data") is None
    for path in ("/etc", "/usr/local/share", "/var", "/boot", tmp_path / "own"):
        assert code(policy, path) == "path_not_allowed"


def test_folders_must_not_overlap(policy: PathPolicy) -> None:
    music = str(policy.home / "Music")
    assert code(policy, music, Music=music) == "path_taken"
    assert code(policy, music + "/Live", Music=music) == "path_nested"
    assert code(policy, policy.home / "Mus", Music=music) is None
    problem = problem_of(policy, music, Live=music + "/Live")
    assert problem is not None
    assert (problem.code, problem.inputs["folder"]) == ("path_nested", "Live")


parts = st.lists(
    st.sampled_from(["..", ".", "", "a", "b", ".ssh", "link", "home", "etc", "~", "a b"]),
    max_size=6,
)


@given(parts=parts)
def test_accepted_paths_are_always_below_home(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str]
) -> None:
    base = tmp_path_factory.getbasetemp() / "grounds"
    home = base / "home"
    if not home.exists():
        (home / "a").mkdir(parents=True)
        (home / "link").symlink_to("/etc")
        (home / "a/link").symlink_to(base)
    for path in (os.path.join("/", *parts), os.path.join(home, *parts)):  # noqa: PTH118
        if code(PathPolicy([home], home, home / ".agent"), path) is None:
            there = Path(os.path.realpath(path))
            assert there != home
            assert there.is_relative_to(home)
            assert not any(there.is_relative_to(each) for each in system_folders())


def test_one_bad_folder_does_not_block_others(policy: PathPolicy) -> None:
    def folder(ident: str, path: Path, *patterns: str, encrypted: bool = False) -> DesiredFolder:
        return DesiredFolder(
            id=ident,
            label=ident,
            mode="both",
            path=str(path),
            peers=[HUB],
            ignore_patterns=[*patterns],
            encrypted=encrypted,
        )

    home = policy.home
    state = DesiredState(
        3,
        "epoch",
        [Peer(HUB, ["tcp://hub:22001"])],
        [
            folder("good", home / "good", "*.tmp", "// #include"),
            folder("reads", home / "reads", " #Include ../.ssh/config"),
            folder("hides", home / "hides", "*.tmp\n#include ../.ssh/config"),
            folder("bad", Path("/etc/bad")),
            folder("inside", home / "good/inside"),
            folder("secret", home / "secret", encrypted=True),
            folder("known", home / "known", encrypted=True),
        ],
    )
    config, refused = engine_config(state, policy, {"known": "horse"})
    assert [each.id for each in config.folders] == ["good", "known"]
    assert [each.password for each in config.folders] == ["", "horse"]
    assert config.peers[0].addresses == ("tcp://hub:22001",)
    assert {each.folder_id: each.code for each in folder_errors(refused)} == {
        "bad": "path_not_allowed",
        "inside": "path_nested",
        "reads": "bad_ignore_pattern",
        "hides": "bad_ignore_pattern",
        "secret": "password_missing",
    }


def test_checking_thousand_folders_is_fast(policy: PathPolicy) -> None:
    checker = PathChecker(policy)
    begun = time.process_time()
    for number in range(1000):
        assert checker.reserve(str(policy.home / f"a/b/folder {number}"), str(number)) is None
    assert time.process_time() - begun < 2
