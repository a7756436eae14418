from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from quartet.kernel.errors import Problem


class FileStamp(NamedTuple):
    """Distinguishes a file from another one of the same name."""

    inode: int
    size: int
    changed: int


class FileDetails(NamedTuple):
    """What a container says about the file of a link."""

    name: str
    hash_type: str | None
    hash_value: str | None
    size: int | None
    # Other addresses of the same file.
    mirrors: list[str]

    @property
    def columns(self) -> dict[str, Any]:
        """Return the values as columns of the downloads table."""
        values = {**self._asdict(), "mirrors": self.mirrors or None}
        if self.name:
            values["name_fixed"] = True
        else:
            del values["name"]
        return values


class ContainerPackage(NamedTuple):
    """A package of a container; without a name it is named after the file."""

    name: str
    links: str
    # The details of each file by its link.
    details: Mapping[str, FileDetails] = {}
    passwords: Sequence[str] = ()
    # Whether the package skips the link grabber.
    start: bool = False


class ContainerAccount(NamedTuple):
    """A hoster account in a file of another download manager."""

    host: str
    user: str
    secret: str
    enabled: bool


class AddedPackage(msgspec.Struct, frozen=True, rename="camel"):
    package_id: int
    file: str


class RefusedFile(msgspec.Struct, frozen=True, rename="camel"):
    file: str
    error: Problem


class Opened(msgspec.Struct, frozen=True, rename="camel"):
    """The added packages, and the files that could not be read."""

    packages: list[AddedPackage]
    refused: list[RefusedFile]
