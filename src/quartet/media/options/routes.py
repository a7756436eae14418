from litestar import get, put

from quartet.kernel.web import Injected, JSONBody
from quartet.media.options.service import OptionsService
from quartet.media.options.types import NewOptions, Options


@get("/api/settings")
async def read_settings(options: Injected[OptionsService]) -> Options:
    """Returns the settings; keys are masked."""
    return await options.current_masked()


@put("/api/settings")
async def replace_settings(
    data: JSONBody[NewOptions], options: Injected[OptionsService]
) -> Options:
    """Replaces the settings. Missing values get their default, but keys are kept."""
    return await options.replace(data)


ROUTES = [read_settings, replace_settings]
