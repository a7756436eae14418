"""What messages say, in both languages: here and in other mails alone does a server write prose."""

from datetime import datetime
from typing import NamedTuple

from quartet.wind.alerts.local_time import HOUR, zone_of
from quartet.wind.alerts.types import Window


class Words(NamedTuple):
    days: str
    points: str
    sentence: str
    subject: str
    gust: str
    mail: str
    test_title: str
    test_body: str
    test_mail: str


_WORDS = {
    "en": Words(
        "Mon Tue Wed Thu Fri Sat Sun",
        "N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW",
        "{wind} kn from {point}, {time} h, model {model}",
        "{spot}: {wind} kn, {time} h",
        "gusts up to {gust} kn",
        "{spot}: {sentence}\n{gusts}\nForecast: {url}\n\n"
        "You get this mail because of your alarm for {spot}.\n"
        "No more mails about it: {unsubscribe}\n",
        "Test message",
        "Alarms arrive here.",
        "This is a test message: mails about alarms arrive here.\n",
    ),
    "de": Words(
        "Mo Di Mi Do Fr Sa So",
        "N NNO NO ONO O OSO SO SSO S SSW SW WSW W WNW NW NNW",
        "{wind} kn aus {point}, {time} Uhr, Modell {model}",
        "{spot}: {wind} kn, {time} Uhr",
        "Böen bis {gust} kn",
        "{spot}: {sentence}\n{gusts}\nVorhersage: {url}\n\n"
        "Diese Mail kommt wegen des Alarms für {spot}.\n"
        "Keine Mails mehr dazu: {unsubscribe}\n",
        "Testnachricht",
        "Alarme kommen hier an.",
        "Das ist eine Testnachricht: Mails zu Alarmen kommen hier an.\n",
    ),
}


class Mailed(NamedTuple):
    subject: str
    text: str


class Links(NamedTuple):
    """Where the spot is shown, and where its mails are switched off."""

    spot: str
    unsubscribe: str


def words_of(language: str) -> Words:
    return _WORDS.get(language, _WORDS["en"])


def sentence(window: Window, model: str, zone: str, language: str) -> str:
    """Such as "15-22 kn from W, Sat 13-18 h, model ICON-EU"."""
    words = words_of(language)
    return words.sentence.format(
        wind=_range(window),
        point=_point(window.direction, words),
        time=_time(window, zone, words),
        model=model,
    )


def mail(spot: str, window: Window, model: str, zone: str, language: str, links: Links) -> Mailed:
    words = words_of(language)
    time = _time(window, zone, words)
    gusts = words.gust.format(gust=window.gust) if window.gust is not None else ""
    text = words.mail.format(
        spot=spot,
        sentence=sentence(window, model, zone, language),
        gusts=f"{gusts[:1].upper()}{gusts[1:]}",
        url=links.spot,
        unsubscribe=links.unsubscribe,
    )
    return Mailed(words.subject.format(spot=spot, wind=_range(window), time=time), text)


def _range(window: Window) -> str:
    low, high = window.wind_low, window.wind_high
    return str(low) if low == high else f"{low}-{high}"


def _point(degrees: int, words: Words) -> str:
    points = words.points.split()
    return points[round(degrees / 22.5) % len(points)]


def _time(window: Window, zone: str, words: Words) -> str:
    """The day is told again only if the end lies in another one."""
    days = words.days.split()
    start = datetime.fromtimestamp(window.start, zone_of(zone))
    # The end belongs to its last hour: midnight is 24, and of the day before.
    last = datetime.fromtimestamp(window.end - HOUR, zone_of(zone))
    end = (last.hour + 1) if last.hour < 23 else 24
    if start.date() == last.date():
        return f"{days[start.weekday()]} {start.hour}-{end}"
    return f"{days[start.weekday()]} {start.hour} - {days[last.weekday()]} {end}"
