"""Check that the helpers find PostgreSQL on differently configured machines."""

from pathlib import Path

import pytest

from tests import real_servers
from tests.real_servers import ProgramMissing


@pytest.fixture
def version_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Imitate a Debian with nothing but a link to version 15's `postgres` on the PATH."""
    folder = tmp_path / "postgresql" / "15" / "bin"
    folder.mkdir(parents=True)
    for name in real_servers.POSTGRES_PROGRAMS:
        _program(folder / name)
    on_path = tmp_path / "bin"
    on_path.mkdir()
    (on_path / "postgres").symlink_to(folder / "postgres")
    monkeypatch.setenv("PATH", str(on_path))
    monkeypatch.setattr(real_servers, "POSTGRES_VERSIONS", tmp_path / "postgresql")
    return folder


def test_postgres_programs_follow_a_symbolic_link_on_the_path(version_folder: Path) -> None:
    assert real_servers._postgres_programs() == version_folder


def test_postgres_programs_prefer_the_newest_version(
    version_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = version_folder.parent.parent / "9.6" / "bin"
    old.mkdir(parents=True)
    for name in real_servers.POSTGRES_PROGRAMS:
        _program(old / name)
    monkeypatch.setenv("PATH", "")
    assert real_servers._postgres_programs() == version_folder


def test_postgres_programs_report_what_is_missing(version_folder: Path) -> None:
    (version_folder / "pg_isready").unlink()
    with pytest.raises(ProgramMissing, match=r"15/bin lacks pg_isready"):
        real_servers._postgres_programs()


def test_postgres_programs_report_a_missing_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(real_servers, "POSTGRES_VERSIONS", tmp_path)
    with pytest.raises(ProgramMissing, match="not installed"):
        real_servers._postgres_programs()


def _program(path: Path) -> None:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
