"""Check that a tag may be released: `check_version.py vX.Y.Z`.

The tag, the version in pyproject.toml and the newest section of CHANGELOG.md must agree,
and that section must have a date.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBER = "(?:0|[1-9][0-9]*)"
TAG = re.compile(rf"v({NUMBER}\.{NUMBER}\.{NUMBER})")
SECTION = re.compile(r"^## \[([^\]]+)\](.*)$", re.MULTILINE)
DATE = re.compile(r" - [0-9]{4}-[0-9]{2}-[0-9]{2}")


def problem(tag: str, root: Path) -> str | None:
    """Return the reason why this tag cannot be released, or None."""
    found = TAG.fullmatch(tag)
    if found is None:
        return f"{tag!r} is not of the form vX.Y.Z"
    version = found[1]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    if version != project:
        return f"the tag says {version}, pyproject.toml says {project}"
    return _problem_of_changelog(version, (root / "CHANGELOG.md").read_text())


def _problem_of_changelog(version: str, changelog: str) -> str | None:
    newest = SECTION.search(changelog)
    if newest is None:
        return "CHANGELOG.md has no section"
    if newest[1] != version:
        return f"the tag says {version}, the newest section of CHANGELOG.md says {newest[1]}"
    if not DATE.fullmatch(newest[2]):
        return f"the section {version} of CHANGELOG.md has no date"
    return None


def main(arguments: list[str]) -> int:
    if len(arguments) not in (1, 2):
        print("usage: check_version.py vX.Y.Z [FOLDER]", file=sys.stderr)
        return 1
    tag, root = arguments[0], Path(arguments[1]) if arguments[1:] else ROOT
    if found := problem(tag, root):
        print(f"not released: {found}", file=sys.stderr)
        return 1
    print(f"{tag} may be released")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
