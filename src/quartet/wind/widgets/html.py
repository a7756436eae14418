"""Pages that other sites embed and that displays show; they reload without scripts."""

from datetime import UTC, datetime
from html import escape
from zoneinfo import ZoneInfo

from quartet.wind.languages import Language
from quartet.wind.units import unit_name, wind_number
from quartet.wind.widgets.chart import chart
from quartet.wind.widgets.types import Widget, WidgetLook

_EMBED_SECONDS = 900
_DISPLAY_SECONDS = 120
_POINTS: dict[Language, str] = {
    "en": "N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW",
    "de": "N NNO NO ONO O OSO SO SSO S SSW SW WSW W WNW NW NNW",
}
_TEXTS: dict[Language, dict[str, str]] = {
    "en": {
        "measured": "measured at {time}",
        "forecast": "forecast, {low} to {high} {unit} likely",
        "gusts": "gusts {gust}",
        "at": "as of {time}",
        "more": "Full forecast",
        "none": "No current data",
    },
    "de": {
        "measured": "gemessen um {time}",
        "forecast": "Vorhersage, wahrscheinlich {low} bis {high} {unit}",
        "gusts": "Böen {gust}",
        "at": "Stand {time}",
        "more": "Ganze Vorhersage",
        "none": "Keine aktuellen Daten",
    },
}
_ONE_CHART = "@media(width<520px){.wide{display:none}}@media(width>=520px){.narrow{display:none}}"
_COLOURS = "html{background:#f7f9fb;color:#17202b}"
_DARK_COLOURS = "html{background:#12161c;color:#eef2f6}"
_DISPLAY_STYLE = (
    "body{box-sizing:border-box;min-height:100vh;padding:3vmin;display:flex;flex-direction:column;"
    "gap:2vmin}header{display:flex;flex-wrap:wrap;justify-content:space-between;font-size:5vmin;"
    "font-weight:600;gap:2vmin}.now{display:flex;flex-wrap:wrap;align-items:baseline;"
    "gap:1vmin 3vmin}.now b{font-size:22vmin;line-height:1}.now span{font-size:5vmin}"
    ".now .quiet{opacity:.7;font-size:3vmin}svg{flex:1;min-height:0;max-height:55vh;width:100%}"
)


def embedded_page(widget: Widget, timezone: str, look: WidgetLook, link: str) -> str:
    more = _TEXTS[look.language]["more"]
    body = (
        f'<a href="{escape(link)}" target="_blank" rel="noopener" title="{more}">'
        f"{_charts(widget, timezone, look)}</a>"
    )
    return _page(widget.name, look, _EMBED_SECONDS, "svg{width:100%;height:auto}", body)


def display_page(widget: Widget, timezone: str, look: WidgetLook) -> str:
    """Return a page for a screen: the wind now in large figures above three days of forecast."""
    zone = ZoneInfo(timezone)
    as_of = _TEXTS[look.language]["at"].format(time=_clock(widget.time, zone))
    body = (
        f"<header><span>{escape(widget.name)}</span><span>{as_of}</span></header>"
        f"{_now(widget, zone, look)}{_charts(widget, timezone, look, titled=False)}"
    )
    return _page(widget.name, look, _DISPLAY_SECONDS, _DISPLAY_STYLE, body)


def _charts(widget: Widget, timezone: str, look: WidgetLook, *, titled: bool = True) -> str:
    """Return the chart for wide and for narrow windows, of which the style shows one."""
    charts = (chart(widget, timezone, look, titled=titled, narrow=each) for each in (False, True))
    return "".join(charts)


def _now(widget: Widget, zone: ZoneInfo, look: WidgetLook) -> str:
    texts, unit = _TEXTS[look.language], unit_name(look.unit)
    reading = widget.measured or widget.now
    if reading is None:
        return f'<p class="now"><span>{texts["none"]}</span></p>'
    parts = [f"<b>{wind_number(reading.wind, look.unit)}</b><span>{unit}</span>"]
    if reading.direction is not None:
        points = _POINTS[look.language].split()
        parts.append(f"<span>{points[round(reading.direction / 22.5) % len(points)]}</span>")
    if reading.gust is not None:
        gust = texts["gusts"].format(gust=wind_number(reading.gust, look.unit))
        parts.append(f"<span>{gust}</span>")
    if widget.measured is not None:
        parts.append(_quiet(texts["measured"].format(time=_clock(widget.measured.time, zone))))
    elif widget.now is not None:
        low, high = wind_number(widget.now.p10, look.unit), wind_number(widget.now.p90, look.unit)
        parts.append(_quiet(texts["forecast"].format(low=low, high=high, unit=unit)))
    return f'<p class="now">{"".join(parts)}</p>'


def _quiet(text: str) -> str:
    return f'<span class="quiet">{text}</span>'


def _clock(time: int, zone: ZoneInfo) -> str:
    return f"{datetime.fromtimestamp(time, UTC).astimezone(zone):%H:%M}"


def _page(title: str, look: WidgetLook, seconds: int, style: str, body: str) -> str:
    colours = _DARK_COLOURS if look.theme == "dark" else _COLOURS
    if look.theme == "auto":
        colours += f"@media(prefers-color-scheme:dark){{{_DARK_COLOURS}}}"
    return (
        f'<!doctype html><html lang="{look.language}"><head><meta charset="utf-8">'
        f'<meta http-equiv="refresh" content="{seconds}">'
        '<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">'
        f"<title>{escape(title)}</title><style>body,p{{margin:0;font-family:system-ui,sans-serif}}"
        f"svg{{display:block}}{_ONE_CHART}{colours}{style}</style></head><body>{body}</body></html>"
    )
