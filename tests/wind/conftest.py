# Imported before ecCodes, which brings an older SQLite and libcurl: the process uses what is loaded
# first. The product loads ecCodes in worker processes; tests of all services share one process.
import sqlite3  # noqa: F401
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pycurl  # type: ignore[import-untyped]  # noqa: F401
import pytest

from quartet.kernel.outbound import OutboundClient
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.ingest.readers import HttpReader
from quartet.wind.ingest.service import Ingest
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.types import Model
from tests.client import Client
from tests.wind.quiet import quiet
from tests.wind.signed_in_users import SignedInUser, signed_in_user
from tests.wind.upstream import HOUR, RUN, Clock, Provider, provider


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Client]:
    """A site with accounts and without weather."""
    async with quiet(tmp_path) as client:
        yield client


@pytest.fixture
async def anna(site: Client) -> SignedInUser:
    return await signed_in_user(site)


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    workers = Workers(2)
    yield workers
    workers.close()


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Provider]:
    (tmp_path / "mirror").mkdir()
    async with provider(tmp_path / "mirror") as each:
        yield each


@dataclass
class Station:
    """The ingest part of a service, which fetches from the imitated providers."""

    catalogue: Catalogue
    clock: Clock
    ingest_of: Callable[..., Ingest]


@pytest.fixture
async def station(tmp_path: Path, served: Provider, workers: Workers) -> AsyncIterator[Station]:
    clock = served.clock = Clock(RUN + 2 * HOUR)
    catalogue = Catalogue(tmp_path / "grids")
    async with OutboundClient(allow_private=True, retries=0) as outbound:

        def ingest_of(model: Model, **more: Any) -> Ingest:
            address = f"{served.address}/{model.provider}"
            readers = {model.provider: HttpReader(lambda: outbound, address)}
            return Ingest(
                catalogue,
                readers,
                [model],
                workers,
                clock=clock,
                sleep=clock.sleep,
                elapsed=lambda: clock.elapsed,
                **more,
            )

        yield Station(catalogue, clock, ingest_of)
