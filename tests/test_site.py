"""The documentation site and the manual page."""

import re
import sys
from pathlib import Path

import yaml

from quartet.cli import LAZY_COMMANDS, main
from quartet.manual import commands, manual_page, markdown

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))
import docs_site

ROOT = Path(__file__).parent.parent


def navigation() -> set[str]:
    """Return every page in the navigation of the site."""

    def below(node: object) -> set[str]:
        if isinstance(node, str):
            return {node}
        nodes = node.values() if isinstance(node, dict) else node
        assert not isinstance(nodes, int | None)
        return set().union(*(below(each) for each in nodes))  # type: ignore[attr-defined]

    return below(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"])


def test_navigation_contains_every_page() -> None:
    docs = ROOT / "docs"
    written = {str(page.relative_to(docs)) for page in docs.rglob("*.md")}
    # The index of the decisions links to each of them.
    in_index = {page for page in written if page.startswith("decisions/")}
    generated = {f"api/{name}.md" for name in docs_site.SERVICES} | {"commands.md"}
    more = {*generated, *docs_site.ROOT_PAGES, "decisions/README.md"}
    assert navigation() == (written - in_index) | more


def test_links_out_of_site_lead_to_repository() -> None:
    text = "[a](../deploy/compose.yaml) [b](setup.md#containers) [c](https://example.org)"
    assert docs_site.with_site_links(text, Path("scaling.md")) == (
        f"[a]({docs_site.REPOSITORY}/deploy/compose.yaml) [b](setup.md#containers)"
        " [c](https://example.org)"
    )
    inner = docs_site.with_site_links("[d](../wind.md)", Path("migration/windguru.md"))
    assert inner == "[d](../wind.md)"


def test_api_page_lists_requests_with_purpose_and_fields() -> None:
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/New"}}}}
    items = {"type": "array", "items": {"$ref": "#/components/schemas/New"}}
    answer = {"content": {"application/json": {"schema": items}}}
    limit = {"name": "limit", "in": "query", "required": False}
    paths = {
        "/api/a": {"get": {"description": "Reads a\nthing.", "parameters": [limit]}, "head": {}},
        "/api/b/{id}": {"post": {"requestBody": body, "responses": {"201": answer, "400": body}}},
    }
    new = {"properties": {"name": {}, "note": {}}, "required": ["name"]}
    page = docs_site.api_page("wind", {"paths": paths, "components": {"schemas": {"New": new}}})
    assert "## a\n" in page and "## b\n" in page
    assert "**`GET /api/a`**  \nReads a thing.  \nquery: `limit`\n" in page
    assert "body: **`name`**, `note`  \nresponse: list of **`name`**, `note`\n" in page
    assert "HEAD" not in page


def test_manual_describes_every_command() -> None:
    names = {name for name, _, _ in commands()}
    assert {f"quartet {name}" for name in (*main.commands, *LAZY_COMMANDS)} <= names
    page = markdown()
    assert {f"quartet {name}" for name in re.findall(r"^## quartet (.+)$", page, re.M)} < names
    for name in names:
        assert f".SS {name}".replace("-", "\\-") in manual_page()


def test_every_command_has_version() -> None:
    for _, command, context in commands():
        if context.parent is None or context.parent.parent is None:
            assert "version" in {each.name for each in command.params}
