import msgspec

from quartet.sync.protocol import DriftedFile


class DriftedFiles(msgspec.Struct, frozen=True):
    # The first files that differ from the mode; None if the device does not answer.
    files: list[DriftedFile] | None
