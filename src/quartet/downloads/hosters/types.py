import msgspec

from quartet.downloads.hosters.plugin_types import AccountForm
from quartet.kernel.errors import Problem


class Pattern(msgspec.Struct, frozen=True):
    source: str
    flags: str


class Replaced(msgspec.Struct, frozen=True):
    """The built-in plugin that a user's plugin overrides; `newer` if its version is higher."""

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
    # A multi-hoster, which fetches files of other hosters.
    multi: bool
    # True if the plugin can open folder links.
    folders: bool
    has_check: bool
    has_check_account: bool
    builtin: bool
    file: str
    replaces: Replaced | None


class LoadError(msgspec.Struct, frozen=True):
    """A file in the plugin folder that could not be loaded; the others work."""

    file: str
    error: Problem


class PluginList(msgspec.Struct, frozen=True):
    plugins: list[PluginShown]
    errors: list[LoadError]
    # The folder for the user's plugins.
    folder: str
