"""The command that Syncthing calls before it deletes or replaces a file of the hub."""

import os
import shlex
import subprocess
import time
from pathlib import Path

import pytest

from quartet.sync.hub.gate import Gate
from quartet.sync.hubfiles.folder_on_disk import parse_version_path
from tests.sync.processes import until


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    made = Gate(tmp_path / "gate of the hub")
    made.prepare()
    return made


def ask(gate: Gate, folder: Path, name: str, **variables: str) -> subprocess.Popen[bytes]:
    words = [
        {"%FOLDER_PATH%": str(folder), "%FILE_PATH%": name}.get(word, word)
        for word in shlex.split(gate.command("abc"))
    ]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, env={**os.environ, **variables})


@pytest.mark.parametrize(
    "name",
    ["a.txt", "no ending", ".hidden", "deep er/a.tar.gz", "-n", "new\nline", "n" * 250 + ".txt"],
)
def test_file_becomes_version_when_it_is_allowed(tmp_path: Path, gate: Gate, name: str) -> None:
    folder = tmp_path / "my folder"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text("old")
    with ask(gate, folder, name) as process:
        until(lambda: gate.asked() == ["abc"])
        assert (folder / name).exists()
        gate.allow("abc", [name])
        assert process.wait(20) == 0
    assert not (folder / name).exists()
    [kept] = [path for path in (folder / ".stversions").rglob("*") if path.is_file()]
    version = parse_version_path(kept.relative_to(folder / ".stversions").parts)
    assert version is not None
    assert "/".join(version.of) == name
    assert "\n".join(gate.take_passed("abc")) == name
    assert gate.take_passed("abc") == []


def test_version_has_time_of_server_until_clock_expires(tmp_path: Path, gate: Gate) -> None:
    gate.set_clock()
    assert gate.clock.stat().st_mtime > time.time()
    # Not the time of the machine, so that the test sees which of the two is used.
    gate.clock.write_text("20010203-040506\n")
    for name, valid_until in (("a.txt", 2**32), ("b.txt", 0)):
        (tmp_path / name).write_text("old")
        os.utime(gate.clock, (valid_until, valid_until))
        gate.allow("abc", [name])
        assert ask(gate, tmp_path, name).wait(20) == 0
    kept = sorted(path.name for path in (tmp_path / ".stversions").iterdir())
    assert kept[0] == "a~20010203-040506.txt"
    assert kept[1].startswith("b~2") and kept[1] != "b~20010203-040506.txt"


def test_two_versions_within_the_same_second_have_different_names(
    tmp_path: Path, gate: Gate
) -> None:
    for content in ("first", "second"):
        (tmp_path / "a.txt").write_text(content)
        gate.clock.write_text("20010203-040506\n")
        os.utime(gate.clock, (2**32, 2**32))
        gate.allow("abc", ["a.txt"])
        assert ask(gate, tmp_path, "a.txt").wait(20) == 0
    kept = (tmp_path / ".stversions").iterdir()
    assert sorted(each.read_text() for each in kept) == ["first", "second"]


def test_allowed_file_needs_one_further_program(tmp_path: Path, gate: Gate) -> None:
    """Thousands of files may change at once, and each program costs more than the rest."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("mv", "rm", "date", "sleep", "mkdir", "cat", "touch"):
        program = programs / name
        program.write_text(f'#!/bin/sh\necho {name} >>"{programs}/used"\nexec /bin/{name} "$@"\n')
        program.chmod(0o755)
    folder = tmp_path / "folder"
    (folder / ".stversions").mkdir(parents=True)
    (folder / "a.txt").write_text("old")
    gate.set_clock()
    gate.allow("abc", ["a.txt"])
    assert ask(gate, folder, "a.txt", PATH=str(programs)).wait(20) == 0
    assert (programs / "used").read_text().split() == ["mv"]


def test_incomplete_report_of_passed_file_is_read_later(tmp_path: Path, gate: Gate) -> None:
    report = tmp_path / "gate of the hub/passed/1.abc"
    report.write_text("deep")
    assert gate.take_passed("abc") == []
    report.write_text("deep/a.txt//")
    assert gate.take_passed("abc") == ["deep/a.txt"]


def test_only_allowed_files_pass_and_only_once(tmp_path: Path, gate: Gate) -> None:
    names = [f"{number}.txt" for number in range(4)]
    for name in names:
        (tmp_path / name).write_text("old")
    # The last ones name no file of the folder.
    gate.allow("abc", ["1.txt", "2.txt", "../0.txt", str(tmp_path / "3.txt")])
    processes = [ask(gate, tmp_path, name) for name in names]
    until(lambda: sum(process.poll() == 0 for process in processes) == 2 and gate.asked())
    assert sorted(path.name for path in tmp_path.glob("*.txt")) == ["0.txt", "3.txt"]
    (tmp_path / "1.txt").write_text("new")
    processes.append(ask(gate, tmp_path, "1.txt"))
    gate.hold("abc")
    assert [process.wait(20) for process in processes] == [1, 0, 0, 1, 1]
    assert (tmp_path / "1.txt").read_text() == "new"


def test_file_in_replaced_folder_passes(tmp_path: Path, gate: Gate) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.txt").write_text("old")
    gate.allow("abc", ["a", "a/b.txt"])
    assert ask(gate, tmp_path, "a/b.txt").wait(20) == 0
    assert not (tmp_path / "a/b.txt").exists()


def test_file_waits_while_server_checks_and_fails_without_it(tmp_path: Path, gate: Gate) -> None:
    """The script asks the server for six seconds."""
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("old")
    gate.wait("abc")
    first = ask(gate, tmp_path, "a.txt")
    alone = Gate(tmp_path / "gate without server")
    alone.prepare()
    with ask(alone, tmp_path, "b.txt") as other:
        assert other.wait(60) == 1
    assert first.poll() is None
    with gate.interrupted():
        assert first.wait(20) == 1
    assert len(list(tmp_path.glob("*.txt"))) == 2


def test_every_passed_file_is_reported_once(tmp_path: Path, gate: Gate) -> None:
    names = [f"{number}.txt" for number in range(40)]
    for name in names:
        (tmp_path / name).write_text("old")
    gate.allow("abc", names)
    processes = [ask(gate, tmp_path, name) for name in names]
    taken: list[str] = []
    # Reads while the processes write.
    while any(process.poll() is None for process in processes):
        taken += gate.take_passed("abc")
    taken += gate.take_passed("abc")
    assert sorted(taken) == sorted(names)


def test_file_stays_if_change_is_held(tmp_path: Path, gate: Gate) -> None:
    (tmp_path / "a.txt").write_text("old")
    with ask(gate, tmp_path, "a.txt") as process:
        until(gate.asked)
        gate.hold("abc")
        assert process.wait(20) == 1
    assert (tmp_path / "a.txt").read_text() == "old"
    assert not (tmp_path / ".stversions").exists()
