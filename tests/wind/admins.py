"""Admin accounts, each with a separate browser."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from quartet.wind.accounts.users import Users
from tests.client import Client
from tests.wind.account_setup import service_of
from tests.wind.quiet import quiet
from tests.wind.signed_in_users import SignedInUser, signed_in_user


async def admin(site: Client, name: str = "Grace") -> SignedInUser:
    user = await signed_in_user(site, name)
    await service_of(site, Users).set_role(user.id, "admin")
    return user


@asynccontextmanager
async def admin_at(data: Path, **settings: Any) -> AsyncIterator[Client]:
    """Yield the browser of an admin at a site whose loops do not run."""
    async with quiet(data, **settings) as site:
        browser = (await admin(site)).browser
        browser.started = site.started
        async with browser:
            yield browser
