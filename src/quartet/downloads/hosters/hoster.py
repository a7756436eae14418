"""The base class of plugins."""

import re
from typing import ClassVar

from quartet.downloads.hosters.context import Context
from quartet.downloads.hosters.errors import Unsupported
from quartet.downloads.hosters.plugin_types import (
    AccountForm,
    AccountState,
    Checked,
    File,
    Folder,
    Link,
)


class Hoster:
    """Set `id`, `name` and `matches` and implement `resolve`; everything else is optional.

    A call that a plugin does not implement is reported as not supported.
    """

    id: ClassVar[str] = ""
    name: ClassVar[str] = ""
    version: ClassVar[str] = "1.0"
    # Regular expressions that match file links from their start, case-insensitive.
    matches: ClassVar[list[str]] = []
    # The same for folder links, which `crawl` turns into file links.
    folders: ClassVar[list[str]] = []
    # Only links of these domains and their subdomains are compared with the patterns.
    domains: ClassVar[list[str]] = []
    account: ClassVar[AccountForm | None] = None
    account_required: ClassVar[bool] = False
    # The maximum number of connections per file.
    max_connections: ClassVar[int | None] = None
    # Run calls without an account one at a time.
    serial: ClassVar[bool] = False
    # A multi-hoster: its accounts fetch files of other hosters, which `supported` names.
    multi: ClassVar[bool] = False
    # Addresses and other values that `settings.toml` in the plugin folder can override.
    settings: dict[str, str] = {}

    def match(self, url: str) -> bool:
        """Return whether the link belongs to this hoster, by default by its patterns."""
        return any(re.match(each, url, re.IGNORECASE) for each in (*self.matches, *self.folders))

    async def check(self, link: Link, ctx: Context) -> Checked:
        """Return whether the file exists; called without an account."""
        raise Unsupported

    async def crawl(self, link: Link, ctx: Context) -> Folder:
        """Return the files of a folder, including those of its subfolders."""
        raise Unsupported

    async def resolve(self, link: Link, ctx: Context) -> File:
        """Return the address of the file; called right before it is fetched."""
        raise Unsupported

    async def check_account(self, ctx: Context) -> AccountState:
        """Log in with `ctx.account`."""
        raise Unsupported

    async def supported(self, ctx: Context) -> list[str]:
        """Return the domains that a multi-hoster supports."""
        raise Unsupported
