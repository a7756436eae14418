import os
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from quartet.kernel.startup import open_kernel
from quartet.sync.app import SERVICE
from quartet.sync.login.service import Login
from tests.markers import markers_of
from tests.real_servers import free_port
from tests.sync.engines import EnginePair, engine, other_engines
from tests.sync.running_app import PASSWORD, RunningApp, running_app


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Repeat the tests that run Syncthing with every other version of it."""
    others = other_engines()
    if others and "engines" in markers_of(metafunc.definition.nodeid.split("::")[0]):
        names = ["installed", *(each.name for each in others)]
        metafunc.parametrize("syncthing", [None, *others], indirect=True, ids=names, scope="module")


@pytest.fixture(scope="module", autouse=True)
def syncthing(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Make another version the first one on the PATH, also for servers and agents."""
    chosen: Path | None = getattr(request, "param", None)
    with pytest.MonkeyPatch.context() as patch:
        if chosen is not None:
            folder = tmp_path_factory.mktemp("engine")
            (folder / "syncthing").symlink_to(chosen)
            patch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        yield


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


@pytest.fixture(scope="module")
async def pair(
    tmp_path_factory: pytest.TempPathFactory, syncthing: None
) -> AsyncIterator[EnginePair]:
    base = tmp_path_factory.mktemp("pair")
    async with (
        engine(base / "hub", port=free_port(), completions=True) as hub,
        engine(base / "device", completions=True) as device,
    ):
        yield hub, device
