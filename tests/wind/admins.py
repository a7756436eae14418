"""Admins of the site, each with a browser of their own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from quartet.wind.accounts.users import Users
from tests.client import Client
from tests.wind.people import part
from tests.wind.quiet import quiet
from tests.wind.riders import Rider, rider


async def admin(site: Client, name: str = "Grace") -> Rider:
    somebody = await rider(site, name)
    await part(site, Users).set_role(somebody.id, "admin")
    return somebody


@asynccontextmanager
async def admin_at(data: Path, **settings: Any) -> AsyncIterator[Client]:
    """The browser of an admin, at a site whose loops stand still."""
    async with quiet(data, **settings) as site:
        browser = (await admin(site)).browser
        browser.started = site.started
        async with browser:
            yield browser
