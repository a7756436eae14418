"""A loaded plugin."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from quartet.downloads.hosters.hoster import Hoster
from quartet.downloads.hosters.plugin_types import AccountForm, Link
from quartet.downloads.hosters.types import Pattern, PluginShown, Replaced

Call = Literal["check", "crawl", "resolve", "check_account", "supported"]


class PluginDeclaration(msgspec.Struct, frozen=True):
    """The class attributes of a plugin, with their types and limits."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9_.-]{0,40}$")]
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
    version: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    matches: list[str]
    folders: list[str]
    domains: list[str]
    account: AccountForm | None
    account_required: bool
    max_connections: Annotated[int, msgspec.Meta(ge=1)] | None
    serial: bool
    multi: bool
    settings: dict[str, str]


@dataclass(frozen=True)
class Plugin:
    hoster: Hoster
    declared: PluginDeclaration
    patterns: Sequence[re.Pattern[str]]
    folder_patterns: Sequence[re.Pattern[str]]
    file: str
    builtin: bool
    replaces: Replaced | None = None

    @property
    def id(self) -> str:
        return self.declared.id

    @property
    def name(self) -> str:
        return self.declared.name

    def can(self, call: Call) -> bool:
        """Return whether the plugin implements this call."""
        return getattr(type(self.hoster), call) is not getattr(Hoster, call)

    def is_folder(self, url: str) -> bool:
        return any(pattern.match(url) for pattern in self.folder_patterns)

    def link(self, url: str, name: str = "") -> Link:
        for pattern in (*self.patterns, *self.folder_patterns):
            if found := pattern.match(url):
                parts = {key: text for key, text in found.groupdict().items() if text is not None}
                return Link(url, name, parts)
        return Link(url, name)

    def shown(self) -> PluginShown:
        declared = self.declared
        return PluginShown(
            id=declared.id,
            name=declared.name,
            version=declared.version,
            matches=[Pattern(each, "i") for each in (*declared.matches, *declared.folders)],
            domains=declared.domains,
            account_required=declared.account_required,
            account=declared.account,
            multi=declared.multi,
            folders=bool(declared.folders),
            has_check=self.can("check"),
            has_check_account=self.can("check_account"),
            builtin=self.builtin,
            file=self.file,
            replaces=self.replaces,
        )


def plugin_of(kind: type[Hoster], file: str, *, builtin: bool) -> Plugin:
    """Create the plugin; raises an error for the plugin's author if the class is invalid."""
    values = {field: getattr(kind, field) for field in PluginDeclaration.__struct_fields__}
    # Converted to plain values and back, which validates nested values too.
    declared = msgspec.convert(msgspec.to_builtins(values), PluginDeclaration)
    if kind.resolve is Hoster.resolve:
        raise TypeError(f"{kind.__name__} has no resolve")
    if declared.folders and kind.crawl is Hoster.crawl:
        raise TypeError(f"{kind.__name__} has folders but no crawl")
    return Plugin(
        kind(),
        declared,
        [re.compile(each, re.IGNORECASE) for each in declared.matches],
        [re.compile(each, re.IGNORECASE) for each in declared.folders],
        file,
        builtin,
    )
