"""Everything that plugins import; see docs/plugins.md."""

from quartet.downloads.hosters.context import Context, Http
from quartet.downloads.hosters.errors import (
    AccountProblem,
    Fatal,
    HosterLimit,
    Offline,
    PluginError,
    Temporary,
    Unsupported,
)
from quartet.downloads.hosters.hoster import Hoster
from quartet.downloads.hosters.plugin_types import (
    Account,
    AccountForm,
    AccountState,
    Checked,
    Decrypt,
    File,
    FileLink,
    Folder,
    Hash,
    Link,
    Page,
    Program,
    Text,
)
from quartet.kernel.errors import Problem

__all__ = [
    "Account",
    "AccountForm",
    "AccountProblem",
    "AccountState",
    "Checked",
    "Context",
    "Decrypt",
    "Fatal",
    "File",
    "FileLink",
    "Folder",
    "Hash",
    "Hoster",
    "HosterLimit",
    "Http",
    "Link",
    "Offline",
    "Page",
    "PluginError",
    "Problem",
    "Program",
    "Temporary",
    "Text",
    "Unsupported",
]
