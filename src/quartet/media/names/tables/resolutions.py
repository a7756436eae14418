"""Spellings of resolutions. Numbers such as `1080p` or `1920x1080` are matched by rule."""

STRONG = {
    "2160p": "2160p, 4klight, uhdrip, uhdremux, ultrahd, uhd bluray, uhd blu ray, uhd bdrip",
    "1080p": "fullhd, full hd, fhd",
}
# Labels that may appear next to the actual resolution ("4K remaster, 1080p").
WEAK = {
    "4320p": "8k",
    "2160p": "4k, uhd",
}

HEIGHTS = (4320, 2160, 1440, 1080, 900, 720, 576, 540, 480, 404, 400, 368, 360, 240)
# The minimum width for a height, also with cropped black bars.
WIDTHS = ((7000, 4320), (3200, 2160), (2400, 1440), (1800, 1080), (1200, 720))
