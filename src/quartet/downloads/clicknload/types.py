from typing import Literal

import msgspec

Action = Literal["add", "addcrypted2"]


class Form(msgspec.Struct, frozen=True):
    """The form a page sends: `urls` with `add`, `crypted` and `jk` with `addcrypted2`."""

    urls: str = ""
    # Encrypted links in base64.
    crypted: str = ""
    # JavaScript with a function `f` that returns the key in hexadecimal.
    jk: str = ""
    package: str = ""
    # The page that sent the form.
    source: str = ""
    # Archive passwords, one per line.
    passwords: str = ""
    # The page and the cookies with which the files can be downloaded.
    referer: str = ""
    cookies: str = ""
