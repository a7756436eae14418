"""What a plugin is: a class that declares whose links it knows, and answers a few calls."""

import re
from typing import ClassVar

from quartet.downloads.hosters.context import Context
from quartet.downloads.hosters.shapes import (
    AccountForm,
    AccountState,
    Checked,
    File,
    Folder,
    Link,
)


class Hoster:
    """Derive from it, set `id`, `name` and `matches`, and write `resolve`; the rest is optional."""

    id: ClassVar[str] = ""
    name: ClassVar[str] = ""
    version: ClassVar[str] = "1.0"
    # Regular expressions for whole links, upper and lower case alike.
    matches: ClassVar[list[str]] = []
    # The same for links of folders, which `crawl` turns into links of files.
    folders: ClassVar[list[str]] = []
    # Links of other hosts are not even compared; also those below them, such as www.
    domains: ClassVar[list[str]] = []
    account: ClassVar[AccountForm | None] = None
    account_required: ClassVar[bool] = False
    # Connections for one file.
    max_connections: ClassVar[int | None] = None
    # Calls without an account one at a time.
    serial: ClassVar[bool] = False
    # Fetches files of other hosters for its accounts; says of which in `supported`.
    multi: ClassVar[bool] = False
    # Addresses and the like, which `settings.toml` in the plugin folder can change.
    settings: dict[str, str] = {}

    def match(self, url: str) -> bool:
        """Whether a link is of this hoster; `matches` and `folders` are enough for nearly all."""
        return any(re.match(each, url, re.IGNORECASE) for each in (*self.matches, *self.folders))

    async def check(self, link: Link, ctx: Context) -> Checked:
        """Whether the file is there; never with an account."""
        raise NotImplementedError

    async def crawl(self, link: Link, ctx: Context) -> Folder:
        """The files of a folder, also of the folders in it."""
        raise NotImplementedError

    async def resolve(self, link: Link, ctx: Context) -> File:
        """Where the file is; called right before it is fetched."""
        raise NotImplementedError

    async def check_account(self, ctx: Context) -> AccountState:
        """Logs in with `ctx.account`."""
        raise NotImplementedError

    async def supported(self, ctx: Context) -> list[str]:
        """The domains a multi-hoster fetches from."""
        raise NotImplementedError
