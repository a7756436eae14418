"""The command that Syncthing calls before it deletes or replaces a file of the hub."""

import shlex
import subprocess
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


def ask(gate: Gate, folder: Path, name: str) -> subprocess.Popen[bytes]:
    words = [
        {"%FOLDER_PATH%": str(folder), "%FILE_PATH%": name}.get(word, word)
        for word in shlex.split(gate.command("abc"))
    ]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize(
    "name",
    ["a.txt", "no ending", ".hidden", "deep er/a.tar.gz", "-n", "new\nline", "n" * 250 + ".txt"],
)
def test_file_becomes_version_when_folder_opens(tmp_path: Path, gate: Gate, name: str) -> None:
    folder = tmp_path / "my folder"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text("old")
    with ask(gate, folder, name) as process:
        until(lambda: gate.asked() == ["abc"])
        assert (folder / name).exists()
        gate.open("abc")
        assert process.wait(20) == 0
    assert not (folder / name).exists()
    [kept] = [path for path in (folder / ".stversions").rglob("*") if path.is_file()]
    version = parse_version_path(kept.relative_to(folder / ".stversions").parts)
    assert version is not None
    assert "/".join(version.of) == name
    assert "\n".join(gate.take_passed("abc")) == name
    assert gate.take_passed("abc") == []


def test_only_allowed_number_of_files_passes(tmp_path: Path, gate: Gate) -> None:
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("old")
    gate.open_for("abc", 2)
    processes = [ask(gate, tmp_path, f"{number}.txt") for number in range(4)]
    until(lambda: sum(process.poll() == 0 for process in processes) == 2 and gate.asked())
    assert len(list(tmp_path.glob("*.txt"))) == 2
    gate.hold("abc")
    assert sorted(process.wait(20) for process in processes) == [0, 0, 1, 1]
    assert len(list(tmp_path.glob("*.txt"))) == 2


def test_every_passed_file_is_reported_once(tmp_path: Path, gate: Gate) -> None:
    names = [f"{number}.txt" for number in range(40)]
    for name in names:
        (tmp_path / name).write_text("old")
    gate.open("abc")
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
