import asyncio
from pathlib import Path

from quartet.downloads.demo import samples
from quartet.downloads.demo.arrivals import Arrivals
from quartet.downloads.demo.files import make_files
from quartet.downloads.demo.links import demo_links
from quartet.downloads.demo.server import SampleServer
from quartet.downloads.demo.settings import ADDRESS
from quartet.downloads.icons.service import Icons
from quartet.downloads.links.service import Links
from quartet.downloads.packages.service import Packages
from quartet.downloads.packages.types import PageQuery, View
from quartet.downloads.queue.service import Queue
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.demo import demo_data_task
from quartet.kernel.listener import free_port
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask

_VIEWS: tuple[View, ...] = ("queue", "collector")


def demo_loops(
    kernel: Kernel[DownloadsSettings],
    links: Links,
    packages: Packages,
    queue: Queue,
    icons: Icons,
) -> list[BackgroundTask]:
    """Run the sample server, add links to it on the first start, and more of them later."""
    folder = kernel.settings.data / "samples"
    server = SampleServer(folder, free_port(ADDRESS))
    # Before the first link is added, because plugins are loaded once.
    _put_plugin(kernel.settings.plugin_folder, server.base)
    icons.origins.update(dict.fromkeys(samples.Samples.domains, server.base))

    async def fill() -> None:
        await asyncio.to_thread(make_files, folder)
        if not [view for view in _VIEWS if await _has_packages(packages, view)]:
            await links.add_all(demo_links())

    arrivals = Arrivals(links, packages, queue)
    return [server.loop(), demo_data_task(kernel.settings.data, fill), arrivals.loop()]


async def _has_packages(packages: Packages, view: View) -> bool:
    return bool((await packages.page(PageQuery(view, limit=1), {})).packages)


def _put_plugin(folder: Path, base: str) -> None:
    """Write the demo plugin with the server's current address."""
    folder.mkdir(parents=True, exist_ok=True)
    text = Path(samples.__file__).read_text()
    (folder / "samples.py").write_text(text.replace(samples.Samples.settings["base"], base))
