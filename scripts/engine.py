"""Downloads the pinned Syncthing release into a folder and verifies its checksum."""

import asyncio
import sys
from pathlib import Path

from quartet.sync.engine.download import download

if __name__ == "__main__":
    print(asyncio.run(download(Path(sys.argv[1]))))
