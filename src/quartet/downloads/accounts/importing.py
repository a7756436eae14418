"""Imports the accounts of other download managers."""

import asyncio
import logging

from quartet.downloads.accounts.service import Accounts
from quartet.downloads.accounts.types import (
    ImportedAccount,
    ImportedAccounts,
    NewAccount,
    RefusedAccount,
)
from quartet.downloads.containers.types import ContainerAccount
from quartet.downloads.hosters.service import Plugins
from quartet.downloads.input_cleanup import clean_text
from quartet.kernel.errors import AppError, problem_of

log = logging.getLogger("quartet.downloads.accounts")

# A file of this size has room for hundreds of accounts.
LARGEST_FILE = 256 << 10


class AccountImport:
    def __init__(self, accounts: Accounts, plugins: Plugins) -> None:
        self._accounts = accounts
        self._plugins = plugins

    async def add(self, content: bytes) -> ImportedAccounts:
        """Add the accounts of a file, and report each one that could not be added."""
        if len(content) > LARGEST_FILE:
            raise AppError(413, "too_large", limit=LARGEST_FILE)
        # Imported here, because accounts are imported once at most.
        from quartet.downloads.containers.jdownloader import accounts_of_file

        given = await asyncio.to_thread(accounts_of_file, content)
        result = ImportedAccounts([], [])
        known = {(each.plugin_id, each.user) for each in await self._accounts.shown()}
        for account in given:
            try:
                added = await self._add(account, known)
            except AppError as error:
                refused = RefusedAccount(account.host, account.user, problem_of(error))
                result.refused.append(refused)
            else:
                known.add((added.plugin_id, added.user))
                result.added.append(added)
        log.info("accounts imported: %d, refused: %d", len(result.added), len(result.refused))
        return result

    async def _add(self, given: ContainerAccount, known: set[tuple[str, str]]) -> ImportedAccount:
        plugin = await self._plugins.with_accounts_at(given.host)
        if plugin is None:
            raise AppError(400, "hoster_unknown", host=given.host[:80])
        user = clean_text(given.user)
        if (plugin.id, user) in known:
            raise AppError(409, "account_exists")
        new = NewAccount(plugin_id=plugin.id, user=user, secret=given.secret)
        id = await self._accounts.add(new, enabled=given.enabled)
        return ImportedAccount(id, plugin.id, user)
