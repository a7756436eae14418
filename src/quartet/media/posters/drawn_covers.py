"""Draws covers for the demo catalog, which has no pictures."""

import hashlib
import textwrap
from xml.sax.saxutils import escape

from quartet.media.catalog.types import Candidate

_WIDTH, _HEIGHT = 300, 450
_LINE = 34
# Each cover has one of these shapes behind its title.
_SHAPES = (
    '<circle cx="{x}" cy="{y}" r="{r}"/>',
    '<path d="M0 450V{y}Q{x} {r} 300 {y}V450Z"/>',
    '<path d="M{x} 40L300 {y}V450H0V{y}Z"/>',
    '<rect x="-60" y="{y}" width="480" height="{r}" transform="rotate(-18 150 225)"/>',
    '<path d="M0 {y}L60 {r}L120 {y}L180 {r}L240 {y}L300 {r}V450H0Z"/>',
)


def draw_cover(candidate: Candidate) -> bytes:
    """Return an SVG; the same title always looks the same."""
    seed = hashlib.sha256(candidate.id.encode()).digest()
    hue = int.from_bytes(seed[:2], "big") % 360
    other = (hue + 40 + seed[2] % 80) % 360
    shape = _SHAPES[seed[3] % len(_SHAPES)].format(
        x=60 + seed[4] % 180, y=150 + seed[5] % 120, r=70 + seed[6] % 110
    )
    lines = textwrap.wrap(candidate.title, 15)[:5]
    top = _HEIGHT - 58 - _LINE * (len(lines) - 1)
    title = "".join(
        f'<text x="22" y="{top + number * _LINE}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    year = f'<text x="22" y="{_HEIGHT - 22}" font-size="17" opacity=".8">{candidate.year}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}">'
        f'<defs><linearGradient id="a" x2=".4" y2="1"><stop stop-color="hsl({hue} 45% 26%)"/>'
        f'<stop offset="1" stop-color="hsl({other} 55% 14%)"/></linearGradient></defs>'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="url(#a)"/>'
        f'<g fill="hsl({other} 70% 58%)" opacity=".55">{shape}</g>'
        f'<g fill="#fff" font-family="system-ui,sans-serif" font-weight="700" font-size="28">'
        f"{title}{year if candidate.year else ''}</g></svg>"
    ).encode()
