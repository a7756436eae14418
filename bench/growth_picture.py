"""Draw growth curves as an SVG picture, both axes logarithmic."""

import math
from html import escape

from bench.growth_curves import Curve

WIDTH, HEIGHT = 980, 420
LEFT, TOP, BOTTOM = 64, 16, 40
# The rest of the width is the legend.
PLOT = 520
# Distinguishable for colour-blind readers, on white and on black.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#8a6d3b")


def picture(curves: list[Curve]) -> str:
    points = [point for curve in curves for point in curve.points]
    right, top = (_decade_above(max(values)) for values in zip(*points, strict=True))
    left, bottom = (_decade_below(min(values)) for values in zip(*points, strict=True))
    # A curve of one amount still needs an axis.
    right, top = max(right, left + 1), max(top, bottom + 1)

    def x(size: float) -> float:
        return LEFT + (math.log10(size) - left) / (right - left) * PLOT

    def y(value: float) -> float:
        share = (math.log10(value) - bottom) / (top - bottom)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    parts = [_vertical_line(x(10**power), 10**power) for power in range(left, right + 1)]
    parts += [_horizontal_line(y(10.0**power), 10.0**power) for power in range(bottom, top + 1)]
    for number, curve in enumerate(curves):
        color = COLORS[number % len(COLORS)]
        place = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in curve.points)
        parts.append(f'<polyline points="{place}" stroke="{color}" stroke-width="2" fill="none"/>')
        parts.append(_legend(number, curve, color))
    style = "text{font:12px sans-serif;fill:#666} line{stroke:#8884}"
    frame = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
    return f"{frame}<style>{style}</style>{''.join(parts)}</svg>\n"


def _decade_above(value: float) -> int:
    return math.ceil(math.log10(value) - 1e-9)


def _decade_below(value: float) -> int:
    return math.floor(math.log10(value) + 1e-9)


def _vertical_line(x: float, size: float) -> str:
    line = f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
    return line + _text(x, HEIGHT - BOTTOM + 18, f"{size:,}", "middle")


def _horizontal_line(y: float, value: float) -> str:
    line = f'<line x1="{LEFT}" x2="{LEFT + PLOT}" y1="{y:.1f}" y2="{y:.1f}"/>'
    return line + _text(LEFT - 8, y + 4, f"{value:g}", "end")


def _legend(number: int, curve: Curve, color: str) -> str:
    x, y = LEFT + PLOT + 20, TOP + 14 + number * 22
    box = f'<rect x="{x}" y="{y - 10}" width="12" height="12" fill="{color}"/>'
    return box + _text(x + 20, y, f"{curve.task} ({curve.unit}): {curve.exponent:.2f}", "start")


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
