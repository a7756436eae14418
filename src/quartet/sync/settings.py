from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta

from quartet.kernel.address_policy import is_public, literal_address
from quartet.kernel.addresses import LOOPBACK_HOSTS, is_host_with_port
from quartet.kernel.settings import ServiceSettings, Settings, SettingsError, described
from quartet.sync.accounts.types import RANKS, Role


class SyncSettings(Settings, frozen=True, kw_only=True):
    port: Annotated[int, described("Port to listen on.")] = 8090
    data: Annotated[Path, described("Folder for the database, keys and hub folders.")] = Path(
        "data/sync"
    )
    hub: Annotated[
        bool, described("Run Syncthing here as the hub once there is a device or a folder.")
    ] = True
    hub_name: Annotated[
        str,
        Meta(pattern="^[a-z0-9-]{0,40}$"),
        described(
            "Name of an additional hub to run here instead of the main one, such as berlin; "
            "needs DATABASE_URL and SYNC_HUB_ADDRESS."
        ),
    ] = ""
    hub_data: Annotated[
        Path | None,
        described(
            "Folder for the hub's keys, files and versions; defaults to the data folder. "
            "Servers on the same database share it, so that any of them can take over the hub."
        ),
    ] = None
    hub_listen: Annotated[
        str | None,
        described("Listen address of the hub; defaults to port 22001 on the server's address."),
    ] = None
    hub_address: Annotated[
        str | None,
        described(
            "Address at which devices reach the hub, such as sync.example.org:22001; "
            "by default they use the host name of the server."
        ),
    ] = None
    guard_percent: Annotated[
        int,
        Meta(ge=0, le=100),
        described(
            "Hold a device that deletes or replaces more than this percentage of a folder "
            "within five minutes; 0 disables the guard."
        ),
    ] = 50
    guard_files: Annotated[
        int,
        Meta(ge=0),
        described("Never hold a device for fewer deleted or replaced files than this."),
    ] = 50
    lan_pairing: Annotated[
        bool,
        described("Announce the server on the LAN and let devices ask to join without a code."),
    ] = True
    oidc_issuer: Annotated[
        str | None,
        described(
            "Issuer of an OpenID Connect provider to sign in with, such as "
            "https://login.example.org/realms/home."
        ),
    ] = None
    oidc_client_id: Annotated[
        str | None, described("Client id of this server at the provider.")
    ] = None
    oidc_client_secret: Annotated[
        str | None,
        described("Client secret of this server; empty for a public client.", secret=True),
    ] = None
    oidc_name: Annotated[
        str | None,
        described("Name of the provider on the sign-in page; its host name if empty."),
    ] = None
    oidc_scopes: Annotated[
        tuple[str, ...],
        described("Scopes to request; some providers send groups only with an additional one."),
    ] = ("openid", "profile", "email")
    oidc_groups_claim: Annotated[
        str,
        described("Claim that lists the groups of a person, such as realm_access.roles."),
    ] = "groups"
    oidc_roles: Annotated[
        tuple[str, ...],
        described(
            "Groups whose members get an account, with its role: admin, editor or reader, such as "
            "sync-admins=admin, family=reader; * is everyone. Others need an invitation."
        ),
    ] = ()


def provider_name(settings: SyncSettings) -> str | None:
    """Return the name of the sign-in provider; None without one."""
    if settings.oidc_issuer is None:
        return None
    return settings.oidc_name or urlsplit(settings.oidc_issuer).hostname


def oidc_roles(settings: SyncSettings) -> list[tuple[str, Role]]:
    """Return pairs of a group and its role; a group may contain an equals sign."""
    pairs = []
    for entry in settings.oidc_roles:
        group, _, given = entry.rpartition("=")
        role = next((each for each in RANKS if each == given.strip()), None)
        if not group.strip() or role is None:
            raise SettingsError(f"SYNC_OIDC_ROLES: {entry} is not like family=reader")
        pairs.append((group.strip(), role))
    return pairs


def _check_provider(settings: SyncSettings) -> None:
    if settings.oidc_issuer is None:
        return
    if not settings.oidc_client_id or "openid" not in settings.oidc_scopes:
        raise SettingsError("SYNC_OIDC_ISSUER needs SYNC_OIDC_CLIENT_ID and the scope openid")
    parts = urlsplit(settings.oidc_issuer)
    address = literal_address(parts.hostname or "")
    private = parts.hostname in LOOPBACK_HOSTS or (address is not None and not is_public(address))
    if not parts.hostname or (parts.scheme != "https" and not (parts.scheme == "http" and private)):
        raise SettingsError("SYNC_OIDC_ISSUER must be an https:// address")
    oidc_roles(settings)


def prepare(settings: SyncSettings) -> SyncSettings:
    """Reject addresses that cannot be used, and an unusable sign-in provider."""
    _check_provider(settings)
    if settings.hub_listen and not is_host_with_port(settings.hub_listen):
        raise SettingsError("SYNC_HUB_LISTEN: expected an address and a port, as in 0.0.0.0:22001")
    if settings.hub_address and not is_host_with_port(settings.hub_address):
        raise SettingsError("SYNC_HUB_ADDRESS: expected a name and a port, as in example.org:22001")
    if settings.hub_name and not (settings.database_url and settings.hub_address):
        raise SettingsError("SYNC_HUB_NAME needs DATABASE_URL and SYNC_HUB_ADDRESS")
    return settings


SERVICE_SETTINGS = ServiceSettings("SYNC_", SyncSettings, prepare)
