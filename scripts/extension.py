"""Pack the browser extension into one zip file for Chromium and one for Firefox."""

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "extension"
# The UI links to the files from here.
TARGET = ROOT / "src/quartet/ui/downloads/extension"
OVERRIDES = "firefox.json"
# A fixed date, so that the same files always give the same bytes.
FIXED_DATE = (1980, 1, 1, 0, 0, 0)


def main(target: Path = TARGET) -> None:
    target.mkdir(parents=True, exist_ok=True)
    manifest = json.loads((SOURCE / "manifest.json").read_text())
    pack(target / "quartet-chromium.zip", manifest)
    pack(target / "quartet-firefox.zip", for_firefox(manifest))


def for_firefox(manifest: dict[str, Any]) -> dict[str, Any]:
    changed = {**manifest, **json.loads((SOURCE / OVERRIDES).read_text())}
    return {key: value for key, value in changed.items() if value is not None}


def pack(target: Path, manifest: dict[str, Any]) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        add(packed, "manifest.json", json.dumps(manifest, indent=2).encode())
        for path in sorted(SOURCE.rglob("*")):
            name = str(path.relative_to(SOURCE))
            if path.is_file() and name not in ("manifest.json", OVERRIDES):
                add(packed, name, path.read_bytes())


def add(packed: zipfile.ZipFile, name: str, data: bytes) -> None:
    packed.writestr(zipfile.ZipInfo(name, FIXED_DATE), data, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
