"""Texts of messages in both languages; apart from mails the server writes no prose."""

from datetime import datetime
from typing import NamedTuple

from quartet.wind.alerts.local_time import HOUR, zone_of
from quartet.wind.alerts.types import AlertWindow


class MessageTexts(NamedTuple):
    days: str
    points: str
    sentence: str
    subject: str
    gust: str
    mail: str
    test_title: str
    test_body: str
    test_mail: str


_TEXTS = {
    "en": MessageTexts(
        "Mon Tue Wed Thu Fri Sat Sun",
        "N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW",
        "{wind} kn from {point}, {time} h, model {model}",
        "{spot}: {wind} kn, {time} h",
        "gusts up to {gust} kn",
        "{spot}: {sentence}\n{gusts}\nForecast: {url}\n\n"
        "You get this mail because of your alert for {spot}.\n"
        "No more mails about it: {unsubscribe}\n",
        "Test message",
        "Alerts arrive here.",
        "This is a test message: alert mails arrive here.\n",
    ),
    "de": MessageTexts(
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


class MailText(NamedTuple):
    subject: str
    text: str


class MailLinks(NamedTuple):
    """Links to the spot and to the unsubscribe page."""

    spot: str
    unsubscribe: str


def texts_of(language: str) -> MessageTexts:
    return _TEXTS.get(language, _TEXTS["en"])


def sentence(window: AlertWindow, model: str, zone: str, language: str) -> str:
    """Return a text such as "15-22 kn from W, Sat 13-18 h, model ICON-EU"."""
    texts = texts_of(language)
    return texts.sentence.format(
        wind=_range(window),
        point=_point(window.direction, texts),
        time=_time(window, zone, texts),
        model=model,
    )


def mail(
    spot: str, window: AlertWindow, model: str, zone: str, language: str, links: MailLinks
) -> MailText:
    texts = texts_of(language)
    time = _time(window, zone, texts)
    gusts = texts.gust.format(gust=window.gust) if window.gust is not None else ""
    text = texts.mail.format(
        spot=spot,
        sentence=sentence(window, model, zone, language),
        gusts=f"{gusts[:1].upper()}{gusts[1:]}",
        url=links.spot,
        unsubscribe=links.unsubscribe,
    )
    return MailText(texts.subject.format(spot=spot, wind=_range(window), time=time), text)


def _range(window: AlertWindow) -> str:
    low, high = window.wind_low, window.wind_high
    return str(low) if low == high else f"{low}-{high}"


def _point(degrees: int, texts: MessageTexts) -> str:
    points = texts.points.split()
    return points[round(degrees / 22.5) % len(points)]


def _time(window: AlertWindow, zone: str, texts: MessageTexts) -> str:
    """Format the time span; the day is repeated only if the end is on another day."""
    days = texts.days.split()
    start = datetime.fromtimestamp(window.start, zone_of(zone))
    # Midnight is shown as 24 of the previous day.
    last = datetime.fromtimestamp(window.end - HOUR, zone_of(zone))
    end = (last.hour + 1) if last.hour < 23 else 24
    if start.date() == last.date():
        return f"{days[start.weekday()]} {start.hour}-{end}"
    return f"{days[start.weekday()]} {start.hour} - {days[last.weekday()]} {end}"
