"""Settings of a service: defaults < file < environment < command line, read once."""

import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from quartet.kernel.addresses import TrustedProxies
from quartet.kernel.errors import OperatorError

Role = Literal["all", "web", "worker"]


def described(text: str, *, secret: bool = False, env: str | None = None) -> Meta:
    """Describe a setting; `env` overrides the variable name, which is prefix + name."""
    return Meta(description=text, extra={"secret": secret, "env": env})


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of all services; each service adds its own in `<service>/settings.py`."""

    host: Annotated[str, described("Address to listen on.")] = "127.0.0.1"
    port: Annotated[
        int, Meta(ge=0, le=65535), described("Port to listen on; 0 takes a free one.")
    ] = 0
    data: Annotated[Path, described("Folder of the database, keys and backups.")] = Path("data")
    base_path: Annotated[
        str,
        described("Path at a reverse proxy, such as /media; that of the public URL if empty."),
    ] = ""
    public_url: Annotated[
        str | None, described("Public URL of the service, such as https://files.example.org.")
    ] = None
    trusted_proxies: Annotated[
        tuple[str, ...],
        described("Addresses or networks of reverse proxies whose forwarding headers are trusted."),
    ] = ("127.0.0.1", "::1")
    allowed_hosts: Annotated[
        tuple[str, ...], described("Host names the service accepts; empty means any.")
    ] = ()
    database_url: Annotated[
        str | None,
        described("PostgreSQL URL; SQLite if empty.", secret=True, env="DATABASE_URL"),
    ] = None
    redis_url: Annotated[
        str | None,
        described(
            "Redis or Valkey URL, needed if several processes share the work.",
            secret=True,
            env="REDIS_URL",
        ),
    ] = None
    role: Annotated[
        Role,
        described("web serves requests, worker runs background tasks, all does both."),
    ] = "all"
    metrics_token: Annotated[
        str | None, described("Bearer token for /metrics; a login works too.", secret=True)
    ] = None
    backup_time: Annotated[
        str,
        Meta(pattern=r"^(off|([01]\d|2[0-3]):[0-5]\d)$"),
        described("Local time of the daily backup, HH:MM; off disables it."),
    ] = "04:00"
    backup_keep: Annotated[
        int, Meta(ge=1, le=1000), described("Number of backups to keep; the oldest are deleted.")
    ] = 7
    backup_folder: Annotated[
        Path | None, described("Folder of the backups; `backups` in the data folder if empty.")
    ] = None
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], described("Minimum level of log messages.")
    ] = "info"
    log_format: Annotated[
        Literal["auto", "console", "json"],
        described("auto is console at a terminal, otherwise json."),
    ] = "auto"
    log_requests: Annotated[
        bool, described("Log every request: method, path, status, duration and request id.")
    ] = False
    traces_url: Annotated[
        str | None,
        described(
            "Address of an OpenTelemetry collector that receives traces over HTTP, such as "
            "http://127.0.0.1:4318; off if empty.",
            secret=True,
            env="TRACES_URL",
        ),
    ] = None
    drain_seconds: Annotated[
        float,
        Meta(ge=0, le=300),
        described("Seconds to keep serving after a stop signal, while /api/ready returns 503."),
    ] = 0
    allow_private_addresses: Annotated[
        bool, described("Allow outgoing requests to loopback and private networks.")
    ] = False
    allowed_private_networks: Annotated[
        tuple[str, ...],
        described("Private networks that outgoing requests may reach, such as 192.168.1.0/24."),
    ] = ()

    @property
    def backups(self) -> Path:
        return self.backup_folder or self.data / "backups"


# Values that are parsed later, checked early so that an invalid one stops the start-up.
_CHECKS: dict[str, Callable[[Any], object]] = {
    # The services repeat the port with their default, but not its range.
    "port": lambda found: _require(0 <= found <= 65535, "expected a whole number from 0 to 65535"),
    "base_path": lambda found: _require(found[:1] in ("", "/"), "must start with /"),
    "trusted_proxies": TrustedProxies.parse,
    "public_url": lambda found: _check_url(found, ("https", "http")),
    "database_url": lambda found: _check_url(found, ("postgresql", "postgres")),
    "redis_url": lambda found: _check_url(found, ("redis", "rediss", "valkey", "valkeys")),
    "traces_url": lambda found: _check_url(found, ("http", "https")),
    "allowed_private_networks": lambda found: [ip_network(each, strict=False) for each in found],
}


def _require(valid: bool, text: str) -> None:
    if not valid:
        raise ValueError(text)


def _check_url(url: str | None, schemes: Collection[str]) -> None:
    if url is None:
        return
    parts = urlsplit(url)
    wanted = " or ".join(f"{each}://" for each in schemes)
    _require(parts.scheme.partition("+")[0] in schemes, f"must start with {wanted}")
    # Raises an error if it is not a number.
    _ = parts.port


S = TypeVar("S", bound=Settings)


class ServiceSettings(NamedTuple, Generic[S]):
    """How the settings of a service are read; importing this does not import the service."""

    prefix: str
    settings: type[S]
    # Validates or adjusts settings, for example a public address without a login.
    prepare: Callable[[S], S]
    # Roles its processes may have; services that work on local files support only "all".
    roles: tuple[Role, ...] = ("all",)


class SettingsError(OperatorError):
    """An invalid setting."""

    may_pass = False


@dataclass(frozen=True)
class Setting:
    """One line of `config show` and of the configuration page."""

    name: str
    variable: str
    default: object
    description: str
    secret: bool


@dataclass(frozen=True)
class LoadedSettings(Generic[S]):
    values: S
    origins: dict[str, str]


def settings_of(kind: type[Settings], prefix: str) -> list[Setting]:
    return [_setting(field, prefix) for field in msgspec.inspect.type_info(kind).fields]  # type: ignore[attr-defined]


def _setting(field: msgspec.inspect.Field, prefix: str) -> Setting:
    info = field.type
    assert isinstance(info, msgspec.inspect.Metadata), f"{field.name} lacks a description"  # noqa: S101
    extra = info.extra or {}
    default = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    return Setting(
        name=field.name,
        variable=extra.get("env") or f"{prefix}{field.name.upper()}",
        default=default,
        description=(info.extra_json_schema or {}).get("description", ""),
        secret=bool(extra.get("secret")),
    )


def load(
    kind: type[S],
    prefix: str,
    *,
    section: Mapping[str, object] | None = None,
    environ: Mapping[str, str],
    flags: Mapping[str, object] | None = None,
) -> LoadedSettings[S]:
    """Load settings. `section` is the service's table of the file, `flags` the command line."""
    section, flags = section or {}, flags or {}
    known = settings_of(kind, prefix)
    if unknown := set(section) - {setting.name for setting in known}:
        raise SettingsError(f"unknown setting in the file: {', '.join(sorted(unknown))}")
    values: dict[str, object] = {}
    origins: dict[str, str] = {}
    for setting in known:
        for origin, value in (
            ("command line", flags.get(setting.name)),
            ("environment", _from_environment(setting, environ)),
            ("file", section.get(setting.name)),
        ):
            if value is not None:
                values[setting.name], origins[setting.name] = value, origin
                break
        else:
            origins[setting.name] = "default"
    built = _build(kind, known, values, origins)
    if not built.base_path and (path := urlsplit(built.public_url or "").path.rstrip("/")):
        # Otherwise pages would load their files from the root of the proxy, and stay empty.
        built, origins["base_path"] = msgspec.structs.replace(built, base_path=path), "public URL"
    return LoadedSettings(built, origins)


def read_file(path: Path, services: Collection[str]) -> dict[str, dict[str, object]]:
    """Read a TOML file with one table per service."""
    try:
        with path.open("rb") as file:
            tables = tomllib.load(file)
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from error
    if unknown := tables.keys() - set(services):
        raise SettingsError(f"{path}: unknown service {', '.join(sorted(unknown))}")
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise SettingsError(f"{path}: {name} is not a table")
    return tables


def _from_environment(setting: Setting, environ: Mapping[str, str]) -> str | None:
    if value := environ.get(setting.variable):
        return value
    twin = environ.get(f"{setting.variable}_FILE") if setting.secret else None
    if not twin:
        return None
    try:
        return Path(twin).read_text().strip()
    except OSError as error:
        raise SettingsError(f"{setting.variable}_FILE: {twin}: {error.strerror}") from error


def _build(
    kind: type[S], known: Sequence[Setting], values: dict[str, object], origins: dict[str, str]
) -> S:
    types = {field.name: field.type for field in msgspec.structs.fields(kind)}
    converted: dict[str, Any] = {}
    for setting in known:
        if (name := setting.name) not in values:
            continue
        by_variable = origins[name] == "environment"
        place = setting.variable if by_variable else f"{name} (from the {origins[name]})"
        try:
            converted[name] = _convert(values[name], types[name])
            if check := _CHECKS.get(name):
                check(converted[name])
        except msgspec.ValidationError as error:
            wanted = _expected(msgspec.inspect.type_info(types[name]))
            text = f"expected {wanted}" if wanted else f"invalid. {setting.description}"
            raise SettingsError(f"{place}: {text}") from error
        except ValueError as error:
            raise SettingsError(f"{place}: {error}") from error
    return kind(**converted)


def _expected(info: msgspec.inspect.Type) -> str:
    """Describe the values of a type; empty if the description of the setting does it better."""
    match info:
        case msgspec.inspect.Metadata():
            return _expected(info.type)
        case msgspec.inspect.UnionType():
            return next(filter(None, map(_expected, info.types)), "")
        case msgspec.inspect.VarTupleType() if item := _expected(info.item_type):
            return f"a list, each {item}"
        case msgspec.inspect.LiteralType():
            return "one of " + ", ".join(map(str, info.values))
        case msgspec.inspect.EnumType():
            return "one of " + ", ".join(str(each.value) for each in info.cls)
        case msgspec.inspect.IntType() | msgspec.inspect.FloatType():
            number = "a whole number" if isinstance(info, msgspec.inspect.IntType) else "a number"
            limits = (("from", info.ge), ("to", info.le))
            found = (f" {word} {limit}" for word, limit in limits if limit is not None)
            return number + "".join(found)
        case msgspec.inspect.BoolType():
            return "true or false"
    return ""


def _convert(value: object, kind: Any) -> Any:
    if isinstance(value, str) and "tuple[" in str(kind):
        value = [part.strip() for part in value.split(",") if part.strip()]
    return msgspec.convert(value, kind, strict=False, dec_hook=_path)


def _path(_kind: type, value: object) -> Path:
    """Convert to Path, the only type here that msgspec does not support."""
    return Path(str(value)).expanduser()
