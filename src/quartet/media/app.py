"""The media renamer, put together."""

from pathlib import Path

from quartet.kernel import live
from quartet.kernel.db import History
from quartet.kernel.service import Kernel, Service, Wing
from quartet.media import health
from quartet.media.login import routes as login_routes
from quartet.media.login.service import Login
from quartet.media.metadata import metadata
from quartet.media.settings import MediaSettings, prepare


def build(kernel: Kernel[MediaSettings]) -> Wing:
    login = Login(kernel)
    return Wing(
        routes=[health.health, live.events, *login_routes.ROUTES],
        authenticate=login.identify,
        dependencies={"login": login},
    )


def welcome(kernel: Kernel[MediaSettings]) -> str:
    if kernel.settings.token:
        return "log in with the access token"
    return "open to this machine; APP_TOKEN sets a login"


SERVICE = Service(
    name="media",
    prefix="APP_",
    settings=MediaSettings,
    history=History("media", metadata, Path(__file__).parent / "migrations"),
    build=build,
    prepare=prepare,
    welcome=welcome,
)
