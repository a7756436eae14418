"""Write the bill of materials of a release, `dist/quartet-sbom.cdx.json`, in the CycloneDX format.

It lists every package that an installation or the built web UI can contain, from the lock files.
"""

import base64
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "dist" / "quartet-sbom.cdx.json"
# A name, extras, version and hashes.
PYTHON = re.compile(
    r"^([\w.-]+)(?:\[[\w,.-]+\])?==([^\s;]+)[^\n]*\n((?:    --hash=\S+(?: \\)?\n)+)",
    re.MULTILINE,
)
HASH = re.compile(r"sha256:([0-9a-f]{64})")

Component = dict[str, Any]


def document() -> dict[str, Any]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    main = component("pypi", project["name"], project["version"], [])
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**main, "type": "application"}},
        "components": [
            *python_components((ROOT / "requirements.lock").read_text()),
            *npm_components(json.loads((ROOT / "package-lock.json").read_text())),
        ],
    }


def python_components(lock: str) -> list[Component]:
    return [
        component("pypi", name, version, [("SHA-256", each) for each in HASH.findall(hashes)])
        for name, version, hashes in PYTHON.findall(lock)
    ]


def npm_components(lock: dict[str, Any]) -> list[Component]:
    return [
        component("npm", path.rpartition("node_modules/")[2], each["version"], [digest(each)])
        for path, each in sorted(lock["packages"].items())
        # Not the parts of this repository, and not what only the checks and tests use.
        if "node_modules/" in path and "integrity" in each and not each.get("dev")
    ]


def digest(package: dict[str, Any]) -> tuple[str, str]:
    kind, _, content = package["integrity"].partition("-")
    return kind.upper().replace("SHA", "SHA-"), base64.b64decode(content).hex()


def component(kind: str, name: str, version: str, hashes: list[tuple[str, str]]) -> Component:
    url = f"pkg:{kind}/{quote(name, safe='/')}@{version}"
    listed = [{"alg": algorithm, "content": content} for algorithm, content in hashes]
    return {
        "type": "library",
        "bom-ref": url,
        "name": name,
        "version": version,
        "purl": url,
        "hashes": listed,
    }


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(document(), indent=1) + "\n")


if __name__ == "__main__":
    main()
