from typing import Literal

import msgspec

Action = Literal["add", "addcrypted2"]


class Form(msgspec.Struct, frozen=True):
    """What a page sends. `urls` comes with `add`, `crypted` and `jk` with `addcrypted2`."""

    urls: str = ""
    # Links, encrypted with a key and written as base64.
    crypted: str = ""
    # JavaScript with a function `f` that gives the key in hexadecimal digits.
    jk: str = ""
    package: str = ""
    # The page it comes from.
    source: str = ""
    # One on each line, for the archives.
    passwords: str = ""
