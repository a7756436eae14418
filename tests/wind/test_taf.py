"""Wind of TAFs as spans, compared with another parser."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metar_taf_parser.parser.parser import TAFParser  # type: ignore[import-untyped]

from quartet.wind.observations.taf import parse_taf
from quartet.wind.observations.types import Span
from tests.rounds import examples
from tests.wind.test_metar import at

NEAR = at("2026-05-15 05:00")
LONG = (
    "TAF EDDH 150500Z 1506/1612 24012G25KT 9999 BKN020 BECMG 1509/1512 27018KT"
    " PROB40 TEMPO 1512/1518 28025G40KT TSRA TEMPO 1514/1516 4000 RA FM160000 VRB03KT CAVOK="
)


def hour(text: str) -> int:
    return at(f"2026-05-{text}:00")


def test_every_change_group_is_a_span() -> None:
    report = parse_taf(LONG, NEAR)
    assert report is not None and report.station == "EDDH"
    taf = report.taf
    assert (taf.issued, taf.valid_from, taf.valid_to) == (NEAR, hour("15 06"), hour("16 12"))
    assert taf.spans == [
        Span(hour("15 06"), hour("15 12"), "base", 12, 240, 25),
        Span(hour("15 09"), hour("16 00"), "becoming", 18, 270, settled=hour("15 12")),
        Span(hour("15 12"), hour("15 18"), "probable", 25, 280, 40, probability=40),
        Span(hour("16 00"), hour("16 12"), "from", 3, None, variable=True),
    ]


@pytest.mark.parametrize(
    "raw",
    [
        "TAF EDXX 150500Z NIL=",
        "TAF AMD EDDH 150500Z 1506/1612 CNL=",
        "TAF EDDH 150500Z 1506/1612 CAVOK",
        "TAF EDDH 150500Z 1612/1506 24012KT",
        "TAF EDDH 150500Z 1506/1506 24012KT",
        "TAF EDDH 150500Z 1506/2512 24012KT",
        "TAF EDDH 150500Z 150612 24012KT CAVOK",
        "TAF EDDH 990500Z 1506/1612 24012KT",
        "",
        "TAF",
        "<html>",
    ],
)
def test_report_without_content_is_skipped(raw: str) -> None:
    assert parse_taf(raw, NEAR) is None


@pytest.mark.parametrize("start", ["TAF AMD ", "TAF COR ", "TAF TAF AMD ", "TAF ", ""])
def test_corrected_reports_are_read(start: str) -> None:
    report = parse_taf(f"{start}EDDH 150500Z 1506/1524 24012KT", NEAR)
    assert report is not None
    (span,) = report.taf.spans
    assert (span.start, span.end, span.wind) == (hour("15 06"), hour("16 00"), 12)


def test_validity_can_span_the_end_of_a_month() -> None:
    raw = "TAF KJFK 312320Z 0100/0206 27007KT FM010330 32010G20KT BECMG 0124/0202 18008KT"
    report = parse_taf(raw, at("2026-05-31 23:20"))
    assert report is not None
    base, later, last = report.taf.spans
    assert (base.start, base.end) == (at("2026-06-01 00:00"), at("2026-06-01 03:30"))
    assert (later.end, later.gust) == (at("2026-06-02 02:00"), 20)
    assert (last.start, last.settled) == (at("2026-06-02 00:00"), at("2026-06-02 02:00"))


winds = st.builds(
    lambda direction, speed, gust: (
        f"{direction:03}{speed:02}{f'G{speed + gust}' if gust else ''}KT"
    ),
    st.integers(1, 36).map(lambda tens: tens * 10),
    st.integers(1, 40),
    st.one_of(st.just(0), st.integers(10, 30)),
)
changes = st.tuples(
    st.sampled_from(["BECMG", "TEMPO", "PROB30", "PROB40 TEMPO", "FM"]),
    st.integers(1, 20),
    st.integers(1, 4),
    winds,
)


def spelled(kind: str, start: int, hours: int, wind: str) -> str:
    first, last = (NEAR // 3600 + 1 + start + more for more in (0, hours))
    texts = [datetime.fromtimestamp(each * 3600, UTC).strftime("%d%H") for each in (first, last)]
    return f"FM{texts[0]}00 {wind}" if kind == "FM" else f"{kind} {texts[0]}/{texts[1]} {wind}"


@settings(max_examples=examples(40))
@given(winds, st.lists(changes, max_size=4, unique_by=lambda change: change[1]))
def test_another_parser_agrees(base: str, some: list[tuple[str, int, int, str]]) -> None:
    groups = [spelled(*change) for change in sorted(some, key=lambda change: change[1])]
    raw = " ".join([f"TAF EDDH 150500Z 1506/1612 {base} 9999 SCT030", *groups])
    report, oracle = parse_taf(raw, NEAR), TAFParser().parse(raw)
    assert report is not None and oracle.wind is not None
    ours = [
        (span.change == "probable", span.start, span.wind, span.gust, (span.direction or 360))
        for span in report.taf.spans[1:]
    ]
    theirs = [
        (
            trend.probability is not None,
            hour(f"{trend.validity.start_day:02} {trend.validity.start_hour:02}"),
            float(trend.wind.speed),
            None if trend.wind.gust is None else float(trend.wind.gust),
            trend.wind.degrees,
        )
        for trend in oracle.trends
        if trend.wind
    ]
    hidden = len(theirs) - len(ours)
    # Ours omits groups that are replaced before they take effect.
    assert hidden >= 0 and set(ours) <= set(theirs)
    assert hidden == 0 or any(kind == "BECMG" for kind, *_ in some)


@given(st.text(max_size=200))
def test_arbitrary_text_is_handled(raw: str) -> None:
    parse_taf(raw, NEAR)
    parse_taf(f"TAF EDDH 150500Z 1506/1612 24012KT {raw}", NEAR)


@given(winds, st.lists(changes, max_size=5))
def test_spans_are_within_the_validity(base: str, some: list[tuple[str, int, int, str]]) -> None:
    raw = " ".join(["TAF EDDH 150500Z 1506/1612", base, *(spelled(*change) for change in some)])
    report = parse_taf(raw, NEAR)
    for span in report.taf.spans if report else []:
        assert hour("15 06") <= span.start < span.end <= hour("16 12")
