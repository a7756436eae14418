from collections.abc import Mapping
from typing import NamedTuple

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


class ContainerPackage(NamedTuple):
    """A package of a container; without a name it is named after the file."""

    name: str
    links: str
    # By link.
    details: Mapping[str, FileDetails] = {}


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
