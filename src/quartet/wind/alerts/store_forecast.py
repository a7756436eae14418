"""The forecast of a window as the columns of a message."""

from typing import Any

from sqlalchemy import Row

from quartet.wind.alerts.types import AlertWindow


def columns_of(window: AlertWindow) -> dict[str, Any]:
    """Return the columns; the rounded ones are for the previous version during an update."""
    return window._asdict() | {
        "wind_low": round(window.wind_low),
        "wind_high": round(window.wind_high),
        "gust": None if window.gust is None else round(window.gust),
        "exact_low": window.wind_low,
        "exact_high": window.wind_high,
        "exact_gust": window.gust,
    }


def forecast_of(row: Row[Any]) -> AlertWindow:
    if row.exact_low is None or row.exact_high is None:
        low, high, gust = row.wind_low, row.wind_high, row.gust
    else:
        low, high, gust = row.exact_low, row.exact_high, row.exact_gust
    return AlertWindow(row.start, row.end, low, high, gust, row.direction)
