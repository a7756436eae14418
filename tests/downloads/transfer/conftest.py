from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.downloads.transfer import servers
from tests.downloads.transfer.desk import Desk


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Nginx]:
    with servers.nginx(tmp_path_factory.mktemp("nginx")) as server:
        yield server


@pytest.fixture
def desk(tmp_path: Path, web: servers.Nginx) -> Iterator[Desk]:
    desk = Desk(tmp_path, ca_file=web.ca_file)
    yield desk
    desk.engine.stop()
