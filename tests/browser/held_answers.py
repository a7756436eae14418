"""Pages that get one answer after the other, in an order that no machine can change."""

from playwright.sync_api import Page

# Holds every answer of the server until `showNext` is called, and adds up how far the page moves.
# Live streams are open but silent, and nothing that waits for a second or longer happens, such as
# the next poll: so only an answer can change the page.
HOLD_ANSWERS = """(() => {
    const { fetch, setTimeout: later } = globalThis;
    const held = [];
    globalThis.fetch = (...given) => {
        const answer = fetch(...given);
        const turn = new Promise((show) => {
            const url = given[0].url ?? given[0];
            held.push({ url, show, arrived: answer.catch(() => undefined) });
        });
        return turn.then(() => answer);
    };
    class Silent extends EventTarget {
        constructor() {
            super();
            later(() => this.onopen?.());
        }
        close() {}
        send() {}
    }
    Object.assign(globalThis, {
        EventSource: Silent,
        WebSocket: Silent,
        setTimeout: (run, ms, ...rest) => (ms >= 1000 ? 0 : later(run, ms, ...rest)),
        setInterval: () => 0,
    });

    let shown = 'nothing';
    globalThis.jumps = [];
    new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries()) {
            const what = sources.map(({ node }) => {
                const one = node?.nodeType === 1 ? node : node?.parentElement;
                return `${one?.tagName}.${one?.className}`;
            });
            jumps.push({ value, after: shown, what });
        }
    }).observe({ type: 'layout-shift', buffered: true });

    const painted = () => new Promise((go) => requestAnimationFrame(() => later(go)));
    const isWaiting = () =>
        !document.querySelector('main > *') ||
        [...document.querySelectorAll('.skeleton')].some((one) => one.checkVisibility());
    // The newest question is answered first: what is further down the page is usually asked last.
    globalThis.showNext = async () => {
        await painted();
        const next = held.pop();
        await next?.arrived;
        shown = next?.url ?? shown;
        next?.show();
        await painted();
        await painted();
        return next !== undefined || held.length > 0 || isWaiting();
    };
    globalThis.showAll = async () => {
        while (await showNext());
    };
})()"""


def jump_while_loading(page: Page, address: str) -> tuple[float, list[object]]:
    """Open an address with held answers and return how far its content moved altogether.

    The sum over everything is never less than the usual figure, which forgets after five seconds.
    """
    page.goto(address)
    page.evaluate("showAll()")
    jumps: list[dict[str, float]] = page.evaluate("jumps")
    return sum(each["value"] for each in jumps), [*jumps]
