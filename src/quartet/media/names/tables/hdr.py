"""High dynamic range. `DV` has only two letters, so it counts only next to other tags."""

STRONG = {
    "DV": "dolby vision, dolbyvision, dovi",
    "HDR10+": "hdr10plus, hdr10p, hdr10+",
    "HDR10": "hdr10",
    "HDR": "hdr",
    "HLG": "hlg",
    "SDR": "sdr",
}
WEAK = {"DV": "dv"}
