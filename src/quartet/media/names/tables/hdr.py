"""High dynamic range. `DV` and the like are two letters, so they count only among other facts."""

STRONG = {
    "DV": "dolby vision, dolbyvision, dovi",
    "HDR10+": "hdr10plus, hdr10p, hdr10+",
    "HDR10": "hdr10",
    "HDR": "hdr",
    "HLG": "hlg",
    "SDR": "sdr",
}
WEAK = {"DV": "dv"}
