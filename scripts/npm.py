"""Run npm with the Node chosen by the setup: `python3 scripts/npm.py run check`."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from setup import ROOT, node_environment

if __name__ == "__main__":
    environment = node_environment()
    os.chdir(ROOT)
    # Replaces this process, so that Ctrl-C reaches npm alone.
    os.execvpe("npm", ["npm", *sys.argv[1:]], environment)
