import msgspec

from quartet.downloads.hosters.shapes import AccountForm
from quartet.kernel.errors import Problem


class Pattern(msgspec.Struct, frozen=True):
    source: str
    flags: str


class Replaced(msgspec.Struct, frozen=True):
    """The built-in plugin a user's one stands in for; `newer` says it has a higher version."""

    version: str
    file: str
    newer: bool


class PluginShown(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    name: str
    version: str
    matches: list[Pattern]
    domains: list[str]
    account_required: bool
    account: AccountForm | None
    # Fetches files of other hosters.
    multi: bool
    # Knows links of folders, which it turns into the files in them.
    folders: bool
    has_check: bool
    has_check_account: bool
    builtin: bool
    file: str
    replaces: Replaced | None


class LoadError(msgspec.Struct, frozen=True):
    """A file in the plugin folder that could not be used; all others are."""

    file: str
    error: Problem


class PluginList(msgspec.Struct, frozen=True):
    plugins: list[PluginShown]
    errors: list[LoadError]
    # Where users put their own.
    folder: str
