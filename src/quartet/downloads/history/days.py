"""Local days as numbers, and the periods they belong to."""

from datetime import date, datetime, timedelta

from quartet.downloads.history.types import Period

_FIRST = date(1970, 1, 1)


def today() -> date:
    return datetime.now().astimezone().date()


def number_of(day: date) -> int:
    return (day - _FIRST).days


def date_of(number: int) -> date:
    return _FIRST + timedelta(days=number)


def start_of(day: date, period: Period) -> date:
    match period:
        case "day":
            return day
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)


def starts(last: date, period: Period, count: int) -> list[date]:
    """Return the first days of the periods up to the one with this day, oldest first."""
    found = [start_of(last, period)]
    while len(found) < count:
        found.append(start_of(found[-1] - timedelta(days=1), period))
    return found[::-1]
