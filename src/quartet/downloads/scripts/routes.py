from litestar import get, post

from quartet.downloads.scripts.service import Scripts
from quartet.downloads.scripts.types import Script
from quartet.kernel.web import Injected


@get("/api/script")
async def read_script(scripts: Injected[Scripts]) -> Script:
    """Return the program that runs for each finished package, which only the operator can set."""
    return scripts.shown()


@post("/api/script/test", status_code=204)
async def test_script(scripts: Injected[Scripts]) -> None:
    """Run the script for an invented package."""
    await scripts.test()


ROUTES = [read_script, test_script]
