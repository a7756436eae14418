"""Write the checksums of the agents that contain Python into the source of a release.

`agent_checksums.py dist` reads all programs in that folder. A server offers its devices only
programs with these checksums.
"""

import hashlib
import json
import sys
from pathlib import Path

FILE = Path(__file__).resolve().parent.parent / "src/quartet/sync/distribution/programs.json"


def write(folder: Path, file: Path = FILE) -> dict[str, str]:
    programs = [each for each in folder.glob("quartet-agent-*") if each.is_file()]
    found = {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in sorted(programs)}
    file.write_text(json.dumps(found, indent=2) + "\n")
    return found


if __name__ == "__main__":
    for name, checksum in write(Path(sys.argv[1])).items():
        print(checksum, name)
