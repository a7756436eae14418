from pathlib import Path

import pytest

from quartet.kernel.files import Root


@pytest.fixture
def root(tmp_path: Path) -> Root:
    (tmp_path / "done").mkdir()
    return Root(tmp_path / "done")
