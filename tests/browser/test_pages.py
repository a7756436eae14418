"""Every page of the demo, as a reader meets it: nothing jumps, axe finds nothing serious, and live
charts leave the processor alone.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from quartet.services import NAMES
from tests.browser.demo_pages import PAGES, sign_in
from tests.browser.page_costs import layouts_per_second, processor_share
from tests.browser.visits import Look, Visit, assert_accessible
from tests.browser.wind_demo import wait_until_filled
from tests.process import Running, quartet_serve

WITH_LIVE_CHARTS = ["downloads /", "downloads /system", "sync /", "sync /system", "media /system"]
LANGUAGES = ("de", "en")
# A page moves while it loads its data.
LOADING_MS = 1500
WEATHER = {"WIND_DEMO_SIZE": "tiny", "WIND_MODELS": "icon-d2"}
MOST_PROCESSOR = 0.05

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("pages")
    with quartet_serve(folder, "--demo", services=NAMES, **WEATHER) as running:
        for name in NAMES:
            wait_until_filled(folder / "data" / name)
        yield running


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("service", NAMES)
def test_pages_are_still_and_accessible(
    running: Running, visit: Visit, service: str, language: str
) -> None:
    address = running.addresses[service]
    # The demo of wind has no imprint and no privacy notice, which its pages say.
    visit.refusals_expected = service == "wind"
    look = Look("de" if language == "de" else "en", "dark", phone=True)
    page = visit(address, look, sign_in(address, running.table, service))
    page.evaluate("localStorage.setItem('quartet.demo-tour-taken', 'yes')")
    for path in PAGES[service].split():
        page.goto(f"{address}{path}")
        expect(page.locator("main > *").first).to_be_visible()
        page.wait_for_timeout(LOADING_MS)
        assert_accessible(page)


@pytest.mark.parametrize("chart", WITH_LIVE_CHARTS)
def test_live_charts_leave_the_processor_alone(running: Running, visit: Visit, chart: str) -> None:
    service, path = chart.split()
    # With animations, which the other tests leave out.
    visit.still = False
    address = running.addresses[service]
    page = visit(f"{address}{path}", Look(), sign_in(address, running.table, service))
    expect(page.locator("canvas").first).to_be_visible()
    page.wait_for_timeout(2 * LOADING_MS)
    assert layouts_per_second(page, 4) < 8
    assert processor_share(page, 10) < MOST_PROCESSOR
