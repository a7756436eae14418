"""Check that the links, commands, make targets and settings in the documentation exist."""

import ast
import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.deploy.commands import check_command, command_path
from tests.deploy.reference import ROOT

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```\w*\n(.*?)^```|`([^`\n]+)`", re.MULTILINE | re.DOTALL)
# The program name, or an image that starts it, and its arguments up to a pipe or other shell
# syntax.
QUARTET = re.compile(r"(?:^|[\s/])quartet( +[a-z-][\w-]*(?: +[\w./-]+)*)")
MAKE = re.compile(r"\bmake ([a-z]+)\b")

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def code_in(page: Path) -> list[str]:
    """Return each line of code on a page, with continuation lines joined and comments removed."""
    found = ["".join(parts) for parts in CODE.findall(page.read_text())]
    lines = "\n".join(found).replace("\\\n", " ").splitlines()
    return [line.split(" #")[0] for line in lines]


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pages
def test_links_have_existing_targets(page: Path) -> None:
    for link in LINK.findall(page.read_text()):
        if link.startswith(("https://", "http://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pages
def test_documented_commands_exist(page: Path) -> None:
    for line in code_in(page):
        for words in QUARTET.findall(line):
            check_command(words.split())


def test_documented_commands_are_executed() -> None:
    """By a test, a benchmark or the pipeline, which then contains the name of the command."""
    folders = (ROOT / name for name in ("tests", "bench", "scripts/pipeline"))
    files = (file for folder in folders for file in folder.rglob("*.py"))
    code = "".join(file.read_text() for file in files)
    named = {
        command_path(words.split())
        for page in PAGES
        for line in code_in(page)
        for words in QUARTET.findall(line)
    }
    unknown = {path for path in named if f'"{path.rpartition(" ")[2]}"' not in code}
    assert unknown - {""} == set()


@pages
def test_documented_make_targets_exist(page: Path) -> None:
    verbs = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for line in code_in(page):
        assert set(MAKE.findall(line)) <= verbs


def test_data_flows_name_existing_files() -> None:
    text = (ROOT / "docs/architecture.md").read_text()
    flows = text.partition("## Main data flows")[2].partition("\n## ")[0]
    named = re.findall(r"`([\w/]+\.py)`", flows)
    assert named
    folder = Path()
    for name in named:
        folder = Path(name).parent if "/" in name else folder
        path = ROOT / "src/quartet" / folder / Path(name).name
        assert path.is_file(), f"{folder}/{Path(name).name}"


def test_decision_index_lists_every_decision() -> None:
    folder = ROOT / "docs/decisions"
    listed = LINK.findall((folder / "README.md").read_text())
    assert listed == sorted(path.name for path in folder.glob("[!R]*.md"))


def test_dependency_page_explains_every_direct_dependency() -> None:
    page = (ROOT / "docs/decisions/0010-dependencies.md").read_text()
    dependencies = page.partition("## Data in the package")[0]
    explained = set(re.findall(r"^\| `([^`]+)`", dependencies, re.MULTILINE))
    assert explained == _python_dependencies() | _ui_dependencies()


def _python_dependencies() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lists = [
        project["build-system"]["requires"],
        project["project"]["dependencies"],
        *project["project"]["optional-dependencies"].values(),
        *project["dependency-groups"].values(),
    ]
    return {re.split(r"[^\w-]", line)[0] for lines in lists for line in lines} - {"quartet-suite"}


def _ui_dependencies() -> set[str]:
    names: set[str] = set()
    for file in [ROOT / "package.json", *sorted((ROOT / "ui").glob("*/package.json"))]:
        package = json.loads(file.read_text())
        names |= {*package.get("dependencies", {}), *package.get("devDependencies", {})}
    return {name for name in names if not name.startswith("@quartet/")}


LOG_LINE = re.compile(r"^(debug|info|warning) +quartet\.\S+ +(.*)$", re.MULTILINE)
PLACEHOLDER = re.compile(r"%\.?\d*[sdrf]")


def logged_formats() -> list[tuple[str, re.Pattern[str]]]:
    """Return level and text of every log call in the source."""
    calls = [
        node
        for path in (ROOT / "src" / "quartet").rglob("*.py")
        if "log." in (text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args
    ]
    return [
        (call.func.attr, re.compile(".*".join(map(re.escape, PLACEHOLDER.split(first.value)))))
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and isinstance(first := call.args[0], ast.Constant)
        and isinstance(first.value, str)
        and call.func.attr in ("debug", "info", "warning")
    ]


def test_documented_log_lines_are_logged() -> None:
    documented = LOG_LINE.findall((ROOT / "docs" / "troubleshooting.md").read_text())
    formats = logged_formats()
    assert len(documented) > 40
    assert [
        text
        for level, text in documented
        if not any(known == level and each.fullmatch(text) for known, each in formats)
    ] == []
