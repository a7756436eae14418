"""Finding and calling Syncthing; each major version has its own flags."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from quartet.kernel.errors import AppError
from quartet.kernel.startup import start
from quartet.sync.app import SERVICE
from quartet.sync.demo.settings import demo_settings, has_engine
from quartet.sync.engine import Engine, EngineConfig, find_or_download
from quartet.sync.engine.download import downloaded_program
from quartet.sync.engine.program import Program, find_program, probe, reads_data
from tests.sync.engines import program_path

# Behaves like version 2, which knows only these flags and has a version command.
SECOND_GENERATION = """#!/bin/sh
[ "$1" = version ] && echo 'syncthing v2.1.3 "Hafnium Hornet" (go1.25 linux-arm64)' && exit
command=$1
case $command in generate|serve) shift ;; *) echo "unknown command $1" >&2; exit 80 ;; esac
while [ $# -gt 0 ]; do
    case $1 in
        --home) home=$2; shift ;;
        --no-browser|--no-restart|--no-upgrade|--no-port-probing) ;;
        *) echo "unknown flag $1" >&2; exit 80 ;;
    esac
    shift
done
[ -z "$STHASHING" ] || exit 81
if [ "$command" = generate ]; then exec {program} generate --home "$home"; fi
exec {program} serve --home "$home" --no-browser --no-restart --no-upgrade
"""


@pytest.fixture
def second(tmp_path: Path) -> Path:
    script = tmp_path / "syncthing2"
    script.write_text(SECOND_GENERATION.replace("{program}", str(program_path())))
    script.chmod(0o755)
    return script


@pytest.mark.anyio
async def test_version_2_is_called_with_its_flags(second: Path, tmp_path: Path) -> None:
    found = await probe(second)
    assert (found.version, found.major) == ("v2.1.3", 2)
    engine = Engine(found, tmp_path / "home")
    await engine.start()
    try:
        assert await engine.apply(EngineConfig()) == {}
        assert (await engine.rest.config())["folders"] == []
    finally:
        await engine.stop()


@pytest.mark.anyio
async def test_version_1_is_detected() -> None:
    found = await probe(program_path())
    assert found.major == 1
    assert found.environment()["STHASHING"] == "standard"


def test_unknown_major_version_uses_newest_known_flags() -> None:
    assert Program(Path("syncthing"), "v3.0.0", 3).flags == Program(Path("s"), "v2.0.0", 2).flags


def test_environment_contains_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNC_DATABASE_URL", "postgresql://user:secret@host/db")
    assert "secret" not in str(Program(Path("syncthing"), "v1.19.2", 1).environment())


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("says", "code"), [("syncthing v0.14.5 x", "engine_too_old"), ("ls 9.1", "engine_unknown")]
)
async def test_other_programs_are_rejected(tmp_path: Path, says: str, code: str) -> None:
    script = tmp_path / "program"
    script.write_text(f"#!/bin/sh\necho '{says}'\n")
    script.chmod(0o755)
    with pytest.raises(AppError, match=code):
        await probe(script)


def test_program_search_order(tmp_path: Path) -> None:
    ours, named, system = tmp_path / "ours", tmp_path / "named", tmp_path / "bin/syncthing"
    nothing = {"PATH": str(tmp_path)}
    assert find_program(None, ours, nothing) is None
    ours.touch()
    assert find_program(None, ours, nothing) == ours
    system.parent.mkdir()
    system.touch(mode=0o755)
    on_path = {"PATH": str(system.parent)}
    assert find_program(None, ours, on_path) == system
    named.touch()
    assert find_program(None, ours, {**on_path, "QUARTET_SYNCTHING": str(named)}) == named
    with pytest.raises(AppError, match="engine_missing"):
        find_program(tmp_path / "nowhere", ours, on_path)


def test_demo_uses_configured_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("QUARTET_SYNCTHING", raising=False)
    assert not has_engine()
    monkeypatch.setenv("QUARTET_SYNCTHING", "/opt/syncthing")
    assert has_engine()


@pytest.mark.anyio
async def test_demo_without_a_program_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("QUARTET_SYNCTHING", raising=False)
    started = start(SERVICE, demo_settings(SERVICE.settings(data=tmp_path)), demo=True)
    try:
        hub: Any = started.built.dependencies["hub"]
        assert (hub.state().state, hub.state().error.code) == ("stopped", "engine_missing")
    finally:
        await started.kernel.close()


@pytest.mark.anyio
async def test_older_program_is_not_used_with_newer_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QUARTET_SYNCTHING", raising=False)
    old, new = tmp_path / "path/syncthing", downloaded_program(tmp_path / "programs")
    for path, version in ((old, "v1.19.2"), (new, "v2.1.3")):
        path.parent.mkdir()
        path.write_text(f"#!/bin/sh\necho syncthing {version}\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:/usr/bin:/bin")
    home = tmp_path / "home"
    assert (await find_or_download(None, new.parent, home)).version == "v1.19.2"
    (home / "index-v2").mkdir(parents=True)
    assert (await find_or_download(None, new.parent, home)).version == "v2.1.3"
    # The operator chose the old one.
    with pytest.raises(AppError, match="engine_older_than_data"):
        await find_or_download(old, new.parent, home)


@pytest.mark.parametrize(
    ("version", "last", "expected"),
    [
        ("v2.0.9", "v2.1.3", False),
        ("v2.1.3", "v2.1.3", True),
        ("v2.10.0", "v2.9.1-rc.2", True),
        ("v1.19.2-ds1", "v1.29.5", True),
    ],
)
def test_older_release_is_not_used_with_converted_database(
    tmp_path: Path, version: str, last: str, expected: bool
) -> None:
    program = Program(Path("syncthing"), version, int(version[1]))
    assert reads_data(program, tmp_path)
    (tmp_path / "engine-version").write_text(last)
    assert reads_data(program, tmp_path) is expected


@pytest.mark.anyio
async def test_configuration_of_newer_release_is_accepted(tmp_path: Path) -> None:
    program = await probe(program_path())
    home = tmp_path / "home"
    engine = Engine(program, home)
    await engine.start()
    await engine.stop()
    assert (home / "engine-version").read_text() == program.version
    config = home / "config.xml"
    config.write_text(re.sub('version="[0-9]+"', 'version="1000"', config.read_text(), count=1))
    await engine.start()
    await engine.stop()


@pytest.mark.anyio
async def test_engine_runs_without_home_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOME", raising=False)
    found = await find_or_download(program_path(), tmp_path, tmp_path / "home")
    made = subprocess.run(found.generate(tmp_path / "h"), env=found.environment(), check=True)
    assert made.returncode == 0
    assert "HOME" not in os.environ
