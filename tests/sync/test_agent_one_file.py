"""The single-file agent runs without any installed packages."""

import os
import subprocess
import sys
from pathlib import Path

from tests.process import ROOT
from tests.sync.processes import server


def test_single_file_agent_joins_server(tmp_path: Path) -> None:
    file = tmp_path / "quartet-agent.pyz"
    subprocess.run([sys.executable, ROOT / "scripts/agent.py", file], check=True)

    def run(*arguments: str) -> str:
        # Isolated, with the base Python, so that only the file itself can be imported.
        return subprocess.run(
            [Path(sys.base_prefix) / "bin/python3", "-I", file, "agent", *arguments],
            capture_output=True,
            text=True,
            check=True,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        ).stdout

    assert "service" in run("--help")
    with server(tmp_path, SYNC_HUB="false") as app:
        code = app.post("/api/enrollments", {"name": "laptop"})["code"]
        told = run("join", "--server", app.url, code)
    assert "Fingerprint" in told
    assert (tmp_path / ".config/quartet-agent/agent.json").exists()
    assert file.stat().st_size < 15e6
