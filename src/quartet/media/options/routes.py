from litestar import get, put

from quartet.kernel.web import Given, JSONBody
from quartet.media.options.service import OptionsService
from quartet.media.options.types import Options


@get("/api/settings")
async def read_settings(options: Given[OptionsService]) -> Options:
    """The settings; keys are masked."""
    return await options.shown()


@put("/api/settings")
async def replace_settings(data: JSONBody[Options], options: Given[OptionsService]) -> Options:
    """Replaces the settings; what is missing gets its default, but keys stay."""
    return await options.replace(data)


ROUTES = [read_settings, replace_settings]
