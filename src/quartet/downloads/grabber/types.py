from typing import Annotated, NamedTuple

import msgspec

from quartet.downloads.packages.types import Id

Ids = Annotated[list[Id], msgspec.Meta(min_length=1)]


class Merge(msgspec.Struct, frozen=True, rename="camel"):
    """The packages to merge into the first one."""

    ids: Ids


class MoveLinks(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Links to move to a package of the link grabber, or to a new one."""

    download_ids: Ids
    package_id: Id | None = None
    # The name of the new package; by default, the names of the files decide.
    package_name: str | None = None


class MovedTo(msgspec.Struct, frozen=True, rename="camel"):
    package_id: int


class Grouped(msgspec.Struct, frozen=True):
    """How many packages there are now."""

    packages: int


class RemovedLinks(msgspec.Struct, frozen=True):
    links: int


class CollectedLink(NamedTuple):
    """A link in the link grabber."""

    id: int
    package_id: int
    name: str
