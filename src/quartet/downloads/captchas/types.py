from typing import Annotated, Literal

import msgspec

# The first three are solved on the hoster's page, the others in our UI.
Kind = Literal["recaptcha", "hcaptcha", "turnstile", "image", "password", "archivePassword"]


class Question(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A question for the user; fields that do not apply are null."""

    kind: Kind
    plugin_id: str | None = None
    plugin_name: str | None = None
    site_key: str | None = None
    page_url: str | None = None
    enterprise: bool = False
    # A data URL.
    image: str | None = None
    link: str | None = None
    # The package whose archive needs a password.
    package_id: int | None = None
    # The name of the download or the archive.
    name: str | None = None
    # Whether the previous answer was wrong.
    wrong: bool = False


class Captcha(Question, frozen=True, kw_only=True, rename="camel"):
    """A question waiting for an answer; times in Unix milliseconds."""

    id: str
    # Authorises an answer without a session; valid for one answer.
    secret: str
    # The host of the page or the link.
    host: str | None
    created_at: int
    expires_at: int


class Solution(msgspec.Struct, frozen=True):
    id: str
    secret: str
    token: Annotated[str, msgspec.Meta(max_length=16_384)]
