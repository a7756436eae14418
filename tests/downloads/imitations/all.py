"""All imitations."""

from tests.downloads.imitations.alldebrid import AllDebridSite
from tests.downloads.imitations.debridlink import DebridLinkSite
from tests.downloads.imitations.dropbox import DropboxSite
from tests.downloads.imitations.gofile import GofileSite
from tests.downloads.imitations.googledrive import GoogleDriveSite
from tests.downloads.imitations.mediafire import MediaFireSite
from tests.downloads.imitations.mega import MegaSite
from tests.downloads.imitations.onefichier import OneFichierSite
from tests.downloads.imitations.premiumize import PremiumizeSite
from tests.downloads.imitations.rapidgator import RapidgatorSite
from tests.downloads.imitations.site import Site
from tests.downloads.imitations.torbox import TorBoxSite
from tests.downloads.imitations.xfilesharing import XFileSharingSite

SITES: tuple[type[Site], ...] = (
    AllDebridSite,
    DebridLinkSite,
    DropboxSite,
    GofileSite,
    GoogleDriveSite,
    MediaFireSite,
    MegaSite,
    OneFichierSite,
    PremiumizeSite,
    RapidgatorSite,
    TorBoxSite,
    XFileSharingSite,
)
