"""The download manager, put together."""

from pathlib import Path

from quartet.downloads.login import routes as login_routes
from quartet.downloads.login.service import Login
from quartet.downloads.metadata import metadata
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel import health, live
from quartet.kernel.db import History
from quartet.kernel.service import Kernel, Service, Wing


def build(kernel: Kernel[DownloadsSettings]) -> Wing:
    login = Login(kernel)
    return Wing(
        routes=[health.health, live.events, *login_routes.ROUTES],
        authenticate=login.identify,
        dependencies={"login": login},
    )


SERVICE = Service(
    name="downloads",
    prefix="DOWNLOADS_",
    settings=DownloadsSettings,
    history=History("downloads", metadata, Path(__file__).parent / "migrations"),
    build=build,
    welcome=lambda _kernel: "log in; the first visit chooses user name and password",
)
