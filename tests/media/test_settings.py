from quartet.kernel.settings import settings_of
from quartet.media.app import SERVICE


def test_setting_names_match_contract() -> None:
    variables = {each.variable for each in settings_of(SERVICE.settings, SERVICE.prefix)}
    assert variables >= {
        "APP_TOKEN",
        "APP_AUTH_HEADER",
        "APP_TRUSTED_PROXIES",
        "APP_CONFIG_DIR",
        "APP_HOST",
        "APP_PORT",
        "APP_LOG_LEVEL",
    }
