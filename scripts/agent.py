"""Build the sync agent as one file, `dist/quartet-agent.pyz`, for devices that only have Python.

It contains exactly what the agent imports. Because of compiled parts it runs only on the same kind
of system and the same Python version. A server builds the same file for its devices.
"""

import argparse
from pathlib import Path

from quartet.sync.distribution.bundle import build

FILE = Path(__file__).parent.parent / "dist" / "quartet-agent.pyz"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    target = parser.parse_args().file
    build(target)
    print(f"{target} ({target.stat().st_size / 1e6:.1f} MB)")
