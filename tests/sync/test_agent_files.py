"""The agent's folder: private files, atomic writes and one agent at a time."""

import itertools
import os
import stat
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from quartet.sync.agent.commands import commands
from quartet.sync.agent.errors import AgentError
from quartet.sync.agent.lock import AgentLock, is_running
from quartet.sync.agent.runner import is_stop_file
from quartet.sync.agent.store import AcceptedState, JoinedServer, Store, newer
from quartet.sync.agent.system import default_folder


def test_stored_files_are_private_and_persistent(tmp_path: Path) -> None:
    store = Store(tmp_path / "agent")
    key = store.key().private_bytes_raw()
    store.join(JoinedServer("https://sync.example.org", code="secret"))
    store.set_password("photos", "horse")
    store.set_password("music", "battery")
    again = Store(tmp_path / "agent")
    assert again.key().private_bytes_raw() == key
    assert again.joined().code == "secret"
    assert again.passwords() == {"photos": "horse", "music": "battery"}
    for path in (store.folder, *store.folder.iterdir()):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077


def test_missing_or_broken_settings_are_reported(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="quartet agent join"):
        Store(tmp_path).joined()
    (tmp_path / "agent.json").write_text("{")
    with pytest.raises(AgentError, match="cannot be read"):
        Store(tmp_path).joined()


def test_unreadable_password_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "passwords.json").write_text("{")
    done = CliRunner().invoke(
        commands, ["password", "photos", "--dir", str(tmp_path)], input="horse\n"
    )
    assert (done.exit_code, "passwords.json cannot be read" in done.output) == (1, True)
    assert (tmp_path / "passwords.json").read_text() == "{"


def test_joining_other_server_resets_accepted_state(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.join(JoinedServer("http://one", server_id="one"))
    store.save_accepted_state(AcceptedState("epoch", 7))
    store.join(JoinedServer("http://one", code="again"))
    assert (store.joined().server_id, store.accepted_state().revision) == ("one", 7)
    store.join(JoinedServer("http://two", server_id="two"))
    assert store.accepted_state() == AcceptedState()


def test_only_one_agent_per_folder(tmp_path: Path) -> None:
    assert not is_running(tmp_path)
    lock = AgentLock(tmp_path)
    assert is_running(tmp_path)
    with pytest.raises(AgentError, match="another agent"):
        AgentLock(tmp_path)
    lock.release()
    AgentLock(tmp_path).release()


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.integers(1, 9)), max_size=30),
)
def test_accepted_states_never_go_back(states: list[tuple[str, int]]) -> None:
    seen, taken = AcceptedState(), list[tuple[str, int]]()
    for epoch, revision in states:
        after = newer(seen, epoch, revision)
        if after is not None:
            seen = after
            taken.append((epoch, revision))
    epochs = [epoch for epoch, _ in taken]
    # Each epoch is one unbroken run, with increasing revisions.
    changes = [one for one, two in itertools.pairwise(epochs) if one != two]
    assert len(changes) == len(set(changes))
    for epoch in set(epochs):
        revisions = [revision for each, revision in taken if each == epoch]
        assert revisions == sorted(revisions)


def test_stop_file_older_than_process_is_ignored(tmp_path: Path) -> None:
    stop, now = tmp_path / "stop", time.time()
    assert not is_stop_file(stop, now)
    stop.touch()
    os.utime(stop, (now - 5, now - 5))
    assert not is_stop_file(stop, now)
    os.utime(stop, (now + 1, now + 1))
    assert is_stop_file(stop, now)


def test_default_folder_per_system() -> None:
    home = Path("/home/me")
    assert default_folder("linux", home, {}) == home / ".config/quartet-agent"
    assert default_folder("linux", home, {"XDG_CONFIG_HOME": "/c"}) == Path("/c/quartet-agent")
    assert "Application Support" in str(default_folder("macos", home, {}))
    assert default_folder("windows", home, {"LOCALAPPDATA": "/l"}) == Path("/l/quartet-agent")
