"""The media renamer, put together."""

from pathlib import Path

from quartet.kernel import live
from quartet.kernel.db import History
from quartet.kernel.service import Kernel, Service, Wing
from quartet.media import health
from quartet.media.catalog import routes as catalog_routes
from quartet.media.catalog.service import Catalog
from quartet.media.history import routes as history_routes
from quartet.media.history.backups import Backups
from quartet.media.history.service import History as FileHistory
from quartet.media.history.tasks import backup_loop
from quartet.media.login import routes as login_routes
from quartet.media.login.service import Login
from quartet.media.match import routes as match_routes
from quartet.media.match.service import Matcher
from quartet.media.metadata import metadata
from quartet.media.moves.service import Moves
from quartet.media.naming import routes as naming_routes
from quartet.media.naming.service import Formats
from quartet.media.options import routes as options_routes
from quartet.media.options.service import OptionsService
from quartet.media.probe.service import Prober
from quartet.media.probe.tasks import probe_loop
from quartet.media.roots import routes as roots_routes
from quartet.media.roots.service import Folders
from quartet.media.rules import routes as rules_routes
from quartet.media.rules.service import RuleSets
from quartet.media.settings import MediaSettings, prepare


def build(kernel: Kernel[MediaSettings]) -> Wing:
    login = Login(kernel)
    options = OptionsService(kernel)
    catalog = Catalog(kernel, options, demo=kernel.settings.demo or kernel.demo)
    folders = Folders(kernel)
    folders.first_start()
    moves = Moves(kernel, folders)
    moves.reconcile()
    prober = Prober(kernel)
    backups = Backups(kernel, folders, moves)
    return Wing(
        routes=[
            health.health,
            live.events,
            *login_routes.ROUTES,
            *naming_routes.ROUTES,
            *options_routes.ROUTES,
            *catalog_routes.ROUTES,
            *match_routes.ROUTES,
            *rules_routes.ROUTES,
            *roots_routes.ROUTES,
            *history_routes.ROUTES,
        ],
        authenticate=login.identify,
        dependencies={
            "login": login,
            "saved_formats": Formats(kernel, folders),
            "options": options,
            "catalog": catalog,
            "prober": prober,
            "rule_sets": RuleSets(kernel, folders, prober),
            "matcher": Matcher(kernel, catalog, options),
            "folders": folders,
            "moves": moves,
            "history": FileHistory(kernel, folders, moves),
            "backups": backups,
        },
        loops=[probe_loop(prober), backup_loop(backups)],
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
