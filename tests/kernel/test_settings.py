from pathlib import Path

import pytest

from quartet.kernel.settings import Settings, SettingsError, load, read_file, settings_of
from quartet.services import NAMES, service


def test_precedence_is_command_line_environment_file_default() -> None:
    loaded = load(
        Settings,
        "X_",
        section={"port": 1, "host": "file", "base_path": "/file"},
        environ={"X_PORT": "2", "X_HOST": "environment"},
        flags={"port": 3},
    )
    assert loaded.values.port == 3
    assert loaded.values.host == "environment"
    assert loaded.values.base_path == "/file"
    assert loaded.values.log_level == "info"
    assert [loaded.origins[name] for name in ("port", "host", "base_path", "log_level")] == [
        "command line",
        "environment",
        "file",
        "default",
    ]


def test_base_path_is_that_of_the_public_url_unless_set() -> None:
    environ = {"X_PUBLIC_URL": "https://example.org/files/"}
    loaded = load(Settings, "X_", environ=environ)
    assert (loaded.values.base_path, loaded.origins["base_path"]) == ("/files", "public URL")
    other = load(Settings, "X_", environ={**environ, "X_BASE_PATH": "/other"})
    assert other.values.base_path == "/other"


def test_secret_may_be_read_from_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("postgresql://user:pass@host/db\n")
    loaded = load(Settings, "X_", environ={"DATABASE_URL_FILE": str(secret)})
    assert loaded.values.database_url == "postgresql://user:pass@host/db"


def test_only_secrets_have_file_variable(tmp_path: Path) -> None:
    (tmp_path / "host").write_text("0.0.0.0")
    loaded = load(Settings, "X_", environ={"X_HOST_FILE": str(tmp_path / "host")})
    assert loaded.values.host == "127.0.0.1"


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"X_PORT": "many"}, "X_PORT: expected a whole number from 0 to 65535"),
        ({"X_PORT": "70000"}, "X_PORT: expected a whole number from 0 to 65535"),
        ({"X_LOG_LEVEL": "loud"}, "X_LOG_LEVEL: expected one of debug, error, info, warning"),
        ({"X_DRAIN_SECONDS": "-1"}, "X_DRAIN_SECONDS: expected a number from 0 to 300"),
        ({"X_BACKUP_TIME": "25:00"}, "X_BACKUP_TIME: invalid. Local time of .*HH:MM"),
        ({"X_ALLOW_PRIVATE_ADDRESSES": "perhaps"}, "expected true or false"),
        ({"DATABASE_URL_FILE": "/no/file"}, "DATABASE_URL_FILE: /no/file: No such file or dir"),
        ({"X_TRUSTED_PROXIES": "127.0.0.1,traefik"}, "X_TRUSTED_PROXIES: 'traefik'"),
        ({"X_BASE_PATH": "media"}, "X_BASE_PATH: must start with /"),
        ({"X_PUBLIC_URL": "http://["}, "X_PUBLIC_URL: "),
        ({"X_PUBLIC_URL": "files.example.org"}, "X_PUBLIC_URL: must start with https://"),
    ],
)
def test_invalid_value_is_rejected_by_name(environ: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        load(Settings, "X_", environ=environ)


def test_invalid_model_names_the_known_ones_and_port_of_service_has_a_range() -> None:
    wind = service("wind")
    with pytest.raises(SettingsError, match=r"WIND_MODELS: expected a list, each one of .*icon-eu"):
        load(wind.settings, wind.prefix, environ={"WIND_MODELS": "icon-xx"})
    with pytest.raises(SettingsError, match=r"port .from the command line.: expected a whole"):
        load(wind.settings, wind.prefix, environ={}, flags={"port": 99999})


def test_unknown_setting_in_file_is_rejected() -> None:
    with pytest.raises(SettingsError, match="prot"):
        load(Settings, "X_", section={"prot": 1}, environ={})


def test_lists_are_comma_separated() -> None:
    loaded = load(Settings, "X_", environ={"X_TRUSTED_PROXIES": "10.0.0.1, 10.1.0.0/16,"})
    assert loaded.values.trusted_proxies == ("10.0.0.1", "10.1.0.0/16")


def test_file_has_one_table_per_service(tmp_path: Path) -> None:
    file = tmp_path / "quartet.toml"
    file.write_text('[wind]\nport = 9000\ntrusted_proxies = ["10.0.0.1"]\n')
    loaded = load(Settings, "X_", section=read_file(file, NAMES)["wind"], environ={})
    assert (loaded.values.port, loaded.values.trusted_proxies) == (9000, ("10.0.0.1",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[wind\n", ""),
        ("[wnid]\nport = 9000\n", "wnid"),
        ("[wind]\n[[win]]\n", "win"),
        ("port = 9000\n", "port"),
        ("wind = 3\n", "wind is not a table"),
    ],
)
def test_invalid_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "quartet.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=rf"quartet\.toml: .*{message}"):
        read_file(file, NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_has_description(name: str) -> None:
    found = service(name)
    for setting in settings_of(found.settings, found.prefix):
        assert setting.description.endswith("."), setting.name
