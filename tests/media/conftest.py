from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.media.house import House, house_at


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with house_at(tmp_path) as house:
        yield house
