"""Class names are unique within a service, so that a name in a log or a search means one class."""

import ast
from collections import defaultdict

import pytest

from tests.process import ROOT


@pytest.mark.parametrize("package", ["kernel", "downloads", "sync", "media", "wind"])
def test_class_names_are_unique_within_a_service(package: str) -> None:
    places = defaultdict(list)
    for path in sorted((ROOT / "src" / "quartet" / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not {name: found for name, found in places.items() if len(found) > 1}
