"""Every example in docs/media.md is correct, and no token, filter or rule is missing."""

import re

import msgspec
import pytest

from quartet.media.naming.examples import examples
from quartet.media.naming.filters import FILTERS
from quartet.media.naming.render import render
from quartet.media.naming.tokens import TOKENS
from quartet.media.rules.apply import new_names
from quartet.media.rules.types import File, Rule
from quartet.media.rules.yaml_files import from_yaml
from tests.media.rule_patterns import PATTERNS
from tests.process import ROOT

PAGE = (ROOT / "docs/media.md").read_text()
ROW = re.compile(r"^\| `((?:[^`|]|\\\|)+)` +\| `([^`]+)` +\|$", re.MULTILINE)


def table(heading: str) -> str:
    return PAGE.partition(f"| {heading} ")[2].partition("\n\n")[0]


def rows(column: str) -> list[tuple[str, str]]:
    below = PAGE.partition(f"| {column} ")[2].partition("\n\n")[0]
    return [(one.replace("\\|", "|"), other) for one, other in ROW.findall(below)]


@pytest.mark.parametrize(("template", "path"), rows("Movie"))
def test_documented_movie_templates(template: str, path: str) -> None:
    assert render(template, examples("movie")[1][1]) == path


@pytest.mark.parametrize(("template", "path"), rows("Episode"))
def test_documented_episode_templates(template: str, path: str) -> None:
    assert render(template, examples("series")[1][1]) == path


def test_every_token_filter_and_rule_is_documented() -> None:
    assert set(re.findall(r"`\{(\w+)\}`", table("Token"))) == set(TOKENS)
    assert set(re.findall(r"`([a-z]+)[:`]", table("Filter"))) == set(FILTERS)
    kinds = {msgspec.inspect.type_info(kind).tag for kind in Rule.__args__}  # type: ignore[attr-defined]
    assert set(re.findall(r"^\| `(\w+)`", table("Rule"), re.MULTILINE)) == kinds


def test_documented_rule_set() -> None:
    yaml = PAGE.partition("```yaml\n")[2].partition("```")[0]
    said = re.findall(r"`(IMG_\d+\.JPG)`\s+into\s+`([^`]+)`", PAGE)
    assert len(said) == 2
    for before, after in said:
        assert new_names(from_yaml(yaml).rules, [File(name=before)], PATTERNS) == [after]
