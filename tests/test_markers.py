from pathlib import Path

import pytest

from tests.markers import MARKERS
from tests.process import ROOT


@pytest.mark.parametrize("part", MARKERS)
def test_marker_pattern_matches_test_files(part: str) -> None:
    files = (path.relative_to(ROOT) for path in Path(__file__).parent.rglob("test_*.py"))
    assert any(part in str(path) for path in files)
