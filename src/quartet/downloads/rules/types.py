from typing import Annotated, Literal, NamedTuple

import msgspec

from quartet.downloads.packages.types import Priority

FileType = Literal["archive", "video", "audio", "image", "document", "program"]
Text = Annotated[str, msgspec.Meta(max_length=1000)]
Size = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]


class Conditions(msgspec.Struct, frozen=True, rename="camel"):
    """What a link must be like; conditions that are not set match every link."""

    # Domains, separated by spaces or commas; subdomains match too.
    hosts: Text = ""
    # Regular expressions, without regard to case; one match anywhere is enough.
    name: Text = ""
    package: Text = ""
    # Matches the way the link was added or the page it came from.
    source: Text = ""
    # Bytes; a link whose size is not known does not match.
    min_size: Size | None = None
    max_size: Size | None = None
    types: list[FileType] = []


class Actions(msgspec.Struct, frozen=True, rename="camel"):
    """What happens to matching links; what is not set stays as it is."""

    package_name: Text = ""
    folder: Text = ""
    priority: Priority | None = None
    password: Text = ""
    # Whether the archives of the package are extracted when it is complete.
    extract: bool | None = None
    start: bool = False
    # Remove the link from the link grabber.
    skip: bool = False


class Rule(msgspec.Struct, frozen=True, rename="camel"):
    conditions: Conditions
    actions: Actions
    name: Text = ""
    enabled: bool = True


class Rules(msgspec.Struct, frozen=True):
    """All rules in the order in which they apply; a later one overrides an earlier one."""

    rules: Annotated[list[Rule], msgspec.Meta(max_length=500)]


class Matches(msgspec.Struct, frozen=True):
    """The ids of the links in the link grabber that a rule matches."""

    ids: list[int]


class RuleLink(NamedTuple):
    """What rules can ask about a link."""

    id: int
    package_id: int
    host: str
    name: str
    size: int | None
    package_name: str
    source: str
    source_page: str | None
    # The name of the file, if `name` is something else, such as the title of a feed's entry.
    file: str = ""
