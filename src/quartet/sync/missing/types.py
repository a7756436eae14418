import msgspec

from quartet.sync.protocol import MissingFile


class ShownMissing(msgspec.Struct, frozen=True):
    # The first files that are missing, failed ones first; None if they are unknown.
    files: list[MissingFile] | None
    more: bool = False
