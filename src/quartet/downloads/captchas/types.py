from typing import Annotated, Literal

import msgspec

# The first three are answered on the hoster's own page, the others in our own.
Kind = Literal["recaptcha", "hcaptcha", "turnstile", "image", "password", "archivePassword"]


class Question(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What somebody is asked; nothing where it does not apply."""

    kind: Kind
    plugin_id: str | None = None
    plugin_name: str | None = None
    site_key: str | None = None
    page_url: str | None = None
    enterprise: bool = False
    # As an address that holds the picture itself.
    image: str | None = None
    link: str | None = None
    # Of the download or the archive.
    name: str | None = None
    # Whether the answer before this question was not right.
    wrong: bool = False


class Captcha(Question, frozen=True, kw_only=True, rename="camel"):
    """A question that waits for its answer; times are Unix milliseconds."""

    id: str
    # Proof of whoever answers without a login; good for one answer.
    secret: str
    # Of the page or the link.
    host: str | None
    created_at: int
    expires_at: int


class Solution(msgspec.Struct, frozen=True):
    id: str
    secret: str
    token: Annotated[str, msgspec.Meta(max_length=16_384)]
