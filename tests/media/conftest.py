from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.media.move_sandbox import MoveSandbox, move_sandbox_at


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[MoveSandbox]:
    with move_sandbox_at(tmp_path) as sandbox:
        yield sandbox
