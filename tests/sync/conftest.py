import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.kernel.startup import open_kernel
from quartet.sync.app import SERVICE
from quartet.sync.login.service import Login
from tests.sync.running_app import PASSWORD, RunningApp, running_app


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a password; created once, because hashing takes a second."""
    folder = tmp_path_factory.mktemp("sync")
    kernel = open_kernel(SERVICE, SERVICE.settings(data=folder))
    Login(kernel.db).set_password(PASSWORD)
    kernel.db.close()
    return folder


@pytest.fixture
def data(fresh: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(fresh, tmp_path / "sync"))


@pytest.fixture
async def app(data: Path) -> AsyncIterator[RunningApp]:
    async with running_app(data) as app:
        yield app
