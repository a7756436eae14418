from litestar import get, put

from quartet.downloads.options.service import OptionsService
from quartet.downloads.options.types import ArchivePasswords, Options, ShownOptions
from quartet.kernel.web import Injected, JSONBody


@get("/api/settings")
async def read_settings(options: Injected[OptionsService]) -> ShownOptions:
    """Return the settings, and values that are fixed at startup."""
    return await options.shown()


@put("/api/settings")
async def replace_settings(
    data: JSONBody[Options], options: Injected[OptionsService]
) -> ShownOptions:
    """Replace the settings; omitted fields get their defaults. Returns the resulting settings."""
    return await options.replace(data)


@get("/api/settings/archive-passwords")
async def read_archive_passwords(options: Injected[OptionsService]) -> ArchivePasswords:
    """Return the passwords that are tried on every archive, in this order."""
    return await options.passwords()


@put("/api/settings/archive-passwords")
async def replace_archive_passwords(
    data: JSONBody[ArchivePasswords], options: Injected[OptionsService]
) -> ArchivePasswords:
    """Replace the archive passwords; blank lines and duplicates are dropped."""
    return await options.replace_passwords(data)


ROUTES = [
    read_settings,
    replace_settings,
    read_archive_passwords,
    replace_archive_passwords,
]
