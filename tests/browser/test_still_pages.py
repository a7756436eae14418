"""No page moves under its reader, however slowly and in whichever order the answers arrive.

Nothing here depends on how fast the machine is: each answer is shown when all others have been
painted, so only the pages decide what moves.
"""

from collections.abc import Iterator

import pytest

from tests.browser.demo_pages import PAGES, sign_in
from tests.browser.held_answers import HOLD_ANSWERS, jump_while_loading
from tests.browser.visits import GERMAN_PHONE, Visit
from tests.browser.wind_demo import Demo, wait_until_filled
from tests.process import Running, quartet_serve

pytestmark = pytest.mark.nightly

# Half of what browsers call good, since other content moves further than that of the demo.
MOST_JUMP = 0.05
LOCAL = ("downloads", "sync", "media")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("still")
    with quartet_serve(folder, "--demo", services=LOCAL) as running:
        for name in LOCAL:
            wait_until_filled(folder / "data" / name)
        yield running


def jumps(visit: Visit, address: str, table: str, service: str) -> dict[str, object]:
    """Return the pages of a service that move, with what moved after which answer."""
    # The demo of wind has no imprint and no privacy notice, which its pages say.
    visit.refusals_expected = service == "wind"
    page = visit(f"{address}/account", GERMAN_PHONE, sign_in(address, table, service))
    page.evaluate("localStorage.setItem('quartet.demo-tour-taken', 'yes')")
    page.add_init_script(HOLD_ANSWERS)
    found = {path: jump_while_loading(page, address + path) for path in PAGES[service].split()}
    return {path: jump for path, jump in found.items() if jump[0] > MOST_JUMP}


@pytest.mark.parametrize("service", LOCAL)
def test_page_stays_still_while_answers_arrive(
    running: Running, visit: Visit, service: str
) -> None:
    assert jumps(visit, running.addresses[service], running.table, service) == {}


def test_wind_stays_still_while_answers_arrive(demo: Demo, visit: Visit) -> None:
    assert jumps(visit, demo.address, demo.table, "wind") == {}
