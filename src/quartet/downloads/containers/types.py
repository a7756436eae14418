from typing import NamedTuple

import msgspec

from quartet.kernel.errors import Problem


class Seen(NamedTuple):
    """What tells a file from another of the same name."""

    inode: int
    size: int
    changed: int


class Packed(NamedTuple):
    """A package as a container describes it; without a name it gets that of the file."""

    name: str
    links: str


class AddedPackage(msgspec.Struct, frozen=True, rename="camel"):
    package_id: int
    file: str


class RefusedFile(msgspec.Struct, frozen=True, rename="camel"):
    file: str
    error: Problem


class Opened(msgspec.Struct, frozen=True, rename="camel"):
    """What became of some files; those that could not be read are named, the others count."""

    packages: list[AddedPackage]
    refused: list[RefusedFile]
