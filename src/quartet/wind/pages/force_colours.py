"""Colours of wind speeds in pictures, as on the pages."""

# Knots and the colour from there on.
_FORCE = (
    (0, "#eef3f8"),
    (5, "#cfe5f5"),
    (10, "#a5e3e0"),
    (15, "#9fdc9a"),
    (20, "#dcd85c"),
    (25, "#f4b346"),
    (30, "#f0803c"),
    (37, "#dd4343"),
    (45, "#b92b78"),
    (55, "#86309a"),
)


def force_colour(knots: float) -> str:
    return next(colour for limit, colour in reversed(_FORCE) if knots >= limit)
