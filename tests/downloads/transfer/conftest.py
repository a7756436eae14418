from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.downloads.transfer import servers
from tests.downloads.transfer.engine_bench import EngineBench


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Nginx]:
    with servers.nginx(tmp_path_factory.mktemp("nginx")) as server:
        yield server


@pytest.fixture
def bench(tmp_path: Path, web: servers.Nginx) -> Iterator[EngineBench]:
    bench = EngineBench(tmp_path, ca_file=web.ca_file)
    yield bench
    bench.engine.stop()
