from quartet.kernel.settings import settings_of
from quartet.media.app import SERVICE


def test_media_keeps_the_names_of_its_contract() -> None:
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
