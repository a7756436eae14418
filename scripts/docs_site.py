"""Build the documentation site: `make docs`.

Copies `docs` and the pages at the root of the repository to `build/site-source`, adds the API of
each service and all commands, and runs mkdocs on them, which fails for every broken link.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from setup import ROOT, uv

SOURCE = ROOT / "build" / "site-source"
VENV = ROOT / "build" / "site-venv"
REPOSITORY = "https://github.com/quartet-project/quartet/blob/main"
ROOT_PAGES = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
SERVICES = ("downloads", "sync", "media", "wind")
STYLE = ".md-grid { max-width: 76rem; }\n"
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")


def main() -> None:
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.copytree(ROOT / "docs", SOURCE)
    for name in ROOT_PAGES:
        shutil.copy(ROOT / name, SOURCE / name)
    for page in sorted(SOURCE.rglob("*.md")):
        page.write_text(with_site_links(page.read_text(), page.relative_to(SOURCE)))
    (SOURCE / "api").mkdir()
    for name in SERVICES:
        document = json.loads((ROOT / "ui" / name / "openapi.json").read_text())
        (SOURCE / "api" / f"{name}.md").write_text(api_page(name, document))
    (SOURCE / "commands.md").write_text(commands_page())
    (SOURCE / "site.css").write_text(STYLE)
    mkdocs = VENV / "bin" / "mkdocs"
    if not mkdocs.exists():
        lock = ROOT / "requirements-docs.lock"
        run(uv(), "venv", "--quiet", "--clear", "--python", sys.executable, str(VENV))
        python = ("--python", str(VENV / "bin" / "python"))
        run(uv(), "pip", "install", "--quiet", *python, "--require-hashes", "-r", str(lock))
    run(str(mkdocs), "build", "--strict")
    print(f"the site is in {(ROOT / 'build/site').relative_to(ROOT)}")


def with_site_links(text: str, page: Path) -> str:
    """Point links to files outside of the site to the repository."""
    original = ROOT / page if page.name in ROOT_PAGES else ROOT / "docs" / page

    def changed(match: re.Match[str]) -> str:
        path, anchor = match[1], match[2] or ""
        if path.startswith(("http://", "https://", "mailto:")):
            return match[0]
        target = (original.parent / path).resolve().relative_to(ROOT)
        if target.is_relative_to("docs") and (ROOT / target).is_file():
            inside = target.relative_to("docs")
        elif str(target) in ROOT_PAGES:
            inside = target
        else:
            return f"]({REPOSITORY}/{target}{anchor})"
        up = "../" * (len(page.parts) - 1)
        return f"]({up}{inside}{anchor})"

    return LINK.sub(changed, text)


def api_page(name: str, document: dict[str, Any]) -> str:
    lines = [
        f"# API of {name}",
        "",
        "Generated from the OpenAPI document of the service, which",
        f"`quartet openapi {name}` prints. `/api/docs` of a service is an interactive page.",
        "[API](../api.md) describes errors, authentication and events. Required fields are bold.",
    ]
    groups: dict[str, list[str]] = {}
    for path, operations in sorted(document["paths"].items()):
        for method, operation in operations.items():
            if method != "head":
                request = f"**`{method.upper()} {path}`**"
                parts = (request, purpose(operation), *fields_of(operation, document))
                # Two spaces end a line within a paragraph.
                groups.setdefault(group_of(path), []).append("  \n".join(filter(None, parts)))
    for group, requests in groups.items():
        lines += ["", f"## {group}", "", "\n\n".join(requests)]
    return "\n".join(lines) + "\n"


def group_of(path: str) -> str:
    parts = path.strip("/").split("/")
    return parts[1] if parts[0] == "api" and len(parts) > 1 else parts[0]


def purpose(operation: dict[str, Any]) -> str:
    text = operation.get("description") or operation.get("summary") or ""
    return " ".join(str(text).split()).replace("<", "&lt;")


def fields_of(operation: dict[str, Any], document: dict[str, Any]) -> Iterator[str]:
    """Yield the parameters, the body and the response, each with the names of their fields."""
    places: dict[str, list[str]] = {}
    for each in operation.get("parameters", []):
        if each["in"] != "path":
            named = (each["name"], each.get("required", False))
            places.setdefault(each["in"], []).append(field(*named))
    for place, fields in places.items():
        yield f"{place}: {', '.join(fields)}"
    if body := content_of(operation.get("requestBody", {}), document):
        yield f"body: {body}"
    codes = [code for code in operation.get("responses", {}) if code.startswith("2")]
    for code in codes:
        if answer := content_of(operation["responses"][code], document):
            yield f"response: {answer}"


def content_of(part: dict[str, Any], document: dict[str, Any]) -> str:
    """Return the fields of a JSON object, or of the objects in a list."""
    schema = part.get("content", {}).get("application/json", {}).get("schema", {})
    return fields_in(schema, document)


def fields_in(schema: dict[str, Any], document: dict[str, Any]) -> str:
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if schema.get("type") == "array" and (items := fields_in(schema.get("items", {}), document)):
        return f"list of {items}"
    required = schema.get("required", [])
    return ", ".join(field(name, name in required) for name in schema.get("properties", {}))


def field(name: str, required: bool) -> str:
    return f"**`{name}`**" if required else f"`{name}`"


def commands_page() -> str:
    """Return the page with every command and option."""
    program = str(ROOT / ".venv" / "bin" / "python")
    command = [program, "-m", "quartet.manual", "markdown"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def run(*command: str) -> None:
    if code := subprocess.run(command, cwd=ROOT).returncode:
        sys.exit(f"{Path(command[0]).name} failed with {code}")


if __name__ == "__main__":
    main()
