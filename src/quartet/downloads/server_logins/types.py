from typing import Annotated

import msgspec

Text = Annotated[str, msgspec.Meta(max_length=2000)]


class ServerLogin(msgspec.Struct, frozen=True):
    """A login for the links of a server, without its password."""

    id: int
    # Scheme, host and port.
    address: str
    user: str


class NewServerLogin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    address: Text
    user: Text
    password: Text = ""


class ServerLoginChange(
    msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True
):
    """Omitted fields stay unchanged."""

    address: Text | None = None
    user: Text | None = None
    password: Text | None = None
