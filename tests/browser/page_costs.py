"""What a page does to its readers and to their computers: moving content, and processor time."""

from playwright.sync_api import Page

# The same sum as in Chromium's reports: the worst window of five seconds without a pause of one.
# Shifts right after an input are expected and do not count.
WATCH_SHIFTS = """() => {
    globalThis.worstShift = { value: 0, what: [] };
    let value = 0, began = 0, last = 0, what = [];
    new PerformanceObserver((list) => {
        for (const each of list.getEntries()) {
            const since = globalThis.stillSince ?? 0;
            if (each.hadRecentInput || each.startTime < since) continue;
            const newWindow = each.startTime - last > 1000 || each.startTime - began > 5000;
            if (newWindow || began < since) {
                [value, began, what] = [0, each.startTime, []];
            }
            last = each.startTime;
            value += each.value;
            for (const { node } of each.sources ?? []) {
                const one = node?.nodeType === 1 ? node : node?.parentElement;
                what.push(`${one?.tagName}.${one?.className}`);
            }
            if (value > worstShift.value) globalThis.worstShift = { value, what: [...what] };
        }
    }).observe({ type: 'layout-shift', buffered: true });
}"""
# After the frame that shows what the page waited for.
FORGET_SHIFTS = """() => new Promise((go) => {
    const forget = () => {
        globalThis.stillSince = performance.now();
        if (globalThis.worstShift) globalThis.worstShift = { value: 0, what: [] };
        go();
    };
    requestAnimationFrame(() => requestAnimationFrame(forget));
})"""
MOST_SHIFT = 0.1


def assert_still(page: Page) -> None:
    """Check that the content of a page has not jumped since it was opened."""
    if page.evaluate("globalThis.worstShift === undefined"):
        page.evaluate(WATCH_SHIFTS)
        # Entries that are already there are reported asynchronously.
        page.evaluate("() => new Promise((go) => setTimeout(go))")
    found = page.evaluate("globalThis.worstShift")
    assert found["value"] < MOST_SHIFT, (page.url, found)


def forget_shifts(page: Page) -> None:
    """Allow what moved until now: the page waited for something and now continues."""
    page.evaluate(FORGET_SHIFTS)


def processor_share(page: Page, seconds: float) -> float:
    """Return the share of a core that a page needs while nobody touches it."""
    return _per_second(page, "ProcessTime", seconds)


def layouts_per_second(page: Page, seconds: float) -> float:
    """Count the layouts of the page: a cost that a busy machine does not change."""
    return _per_second(page, "LayoutCount", seconds)


def _per_second(page: Page, name: str, seconds: float) -> float:
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable")

    def read() -> tuple[float, float]:
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        found = {each["name"]: each["value"] for each in metrics}
        return found[name], found["Timestamp"]

    before, began = read()
    page.wait_for_timeout(seconds * 1000)
    after, ended = read()
    devtools.detach()
    return (after - before) / (ended - began)
