import msgspec


class HubChange(msgspec.Struct, frozen=True):
    """One item changed in a folder; `device` is an engine id, the hub's own or a device's."""

    folder: str
    device: str | None
    action: str
    path: str
    # A file, a folder (`dir`) or a link.
    type: str = "file"
