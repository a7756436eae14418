from pathlib import Path
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from quartet.kernel.addresses import LOOPBACK_HOSTS, is_loopback_host
from quartet.kernel.settings import ServiceSettings, Settings, SettingsError, described

# A shorter token could be guessed over the network.
MIN_TOKEN_CHARACTERS = 16
JUNK_DAYS = 30
DAY_MS = 24 * 3600 * 1000


class MediaSettings(Settings, frozen=True, kw_only=True):
    port: Annotated[int, described("Port to listen on.")] = 8420
    data: Annotated[Path, described("Location of the database.", env="APP_CONFIG_DIR")] = Path(
        "config"
    )
    token: Annotated[
        str | None,
        described(
            "Access token for UI login and API; needed to listen on more than 127.0.0.1.",
            secret=True,
        ),
    ] = None
    auth_header: Annotated[
        str | None,
        described("Header in which a trusted reverse proxy names the signed-in user."),
    ] = None
    roots: Annotated[
        tuple[str, ...],
        described("Folders to add on the very first start, if they exist."),
    ] = ()
    path_map: Annotated[
        tuple[str, ...],
        described("Maps paths of other containers to paths of this service, as theirs:ours."),
    ] = ()
    backup_days: Annotated[
        int,
        Meta(ge=0, le=36500),
        described(
            "Days after which replaced files and junk are permanently deleted; 0 keeps replaced "
            "files, and keeps junk for 30 days."
        ),
    ] = 0
    scripts: Annotated[
        Path | None,
        described("Folder whose executable files may be run after jobs; none are without it."),
    ] = None
    demo: Annotated[
        bool, described("Use an offline catalog of well-known titles instead of the providers.")
    ] = False

    @property
    def junk_ms(self) -> int:
        """How long junk is kept before it is deleted; otherwise it would fill the disk."""
        return (self.backup_days or JUNK_DAYS) * DAY_MS


def prepare(settings: MediaSettings) -> MediaSettings:
    """Require a token unless the service listens only on this machine."""
    if settings.token:
        if len(settings.token) < MIN_TOKEN_CHARACTERS and not is_loopback_host(settings.host):
            raise SettingsError(
                f"APP_TOKEN needs at least {MIN_TOKEN_CHARACTERS} characters to listen on "
                f"{settings.host}"
            )
        return settings
    if not is_loopback_host(settings.host):
        raise SettingsError(f"APP_TOKEN is needed to listen on {settings.host}")
    if settings.auth_header:
        return settings
    # Prevents DNS rebinding: a web page could reach an open service under its own host name.
    return replace(settings, allowed_hosts=settings.allowed_hosts or LOOPBACK_HOSTS)


SERVICE_SETTINGS = ServiceSettings("APP_", MediaSettings, prepare)
