from litestar import get, put

from quartet.downloads.options.service import OptionsService
from quartet.downloads.options.types import ArchivePasswords, Options, ShownOptions
from quartet.kernel.web import Injected, JSONBody


@get("/api/settings")
async def read_settings(options: Injected[OptionsService]) -> ShownOptions:
    """The settings, and what was decided at the start of the program."""
    return await options.shown()


@put("/api/settings")
async def replace_settings(
    data: JSONBody[Options], options: Injected[OptionsService]
) -> ShownOptions:
    """Replaces the settings; what is missing gets its default. Answers what counts now."""
    return await options.replace(data)


@get("/api/settings/archive-passwords")
async def read_archive_passwords(options: Injected[OptionsService]) -> ArchivePasswords:
    """Passwords that are tried on every archive, in this order."""
    return await options.passwords()


@put("/api/settings/archive-passwords")
async def replace_archive_passwords(
    data: JSONBody[ArchivePasswords], options: Injected[OptionsService]
) -> ArchivePasswords:
    """Replaces the list; blank lines and repetitions are dropped."""
    return await options.replace_passwords(data)


ROUTES = [
    read_settings,
    replace_settings,
    read_archive_passwords,
    replace_archive_passwords,
]
