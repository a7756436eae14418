"""Run npm with the Node chosen by the setup: `python3 scripts/npm.py run check`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from setup import node_environment, run

if __name__ == "__main__":
    run("npm", *sys.argv[1:], environment=node_environment())
