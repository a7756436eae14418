"""Video and audio codecs and channels. `DDP5.1` and `AACx2` are matched by rule."""

VIDEO_STRONG = {
    "H.264": "x264, h264, x 264, h 264, avc, avchd, mpeg4 avc, h264avc, x264avc",
    "H.265": "x265, h265, x 265, h 265, hevc, hevc10, hevc10bit, hevc 10, x265hevc",
    "H.266": "x266, h266, h 266, vvc",
    "AV1": "av1",
    "VP9": "vp9",
    "VP8": "vp8, vp80",
    "VP7": "vp7",
    "XviD": "xvid, xvidhd, xvid hd",
    "DivX": "divx, divx5, divx 5, divx6, dvdivx, divx4, divx3",
    "MPEG-2": "mpeg2, mpeg 2, mpg2, h262, h 262, x262, mpeg2video",
    "MPEG-4": "mpeg4",
    "VC-1": "vc1, vc 1, wmv9",
    "H.263": "h263, h 263, x263",
    "RealVideo": "rv10, rv13, rv20, rv30, rv40, rv9",
}
# Also a file extension, so another codec in the name takes precedence.
VIDEO_CONTAINERS = {"WMV": "wmv"}

# List a name in `AUDIO_PARTS` too if a channel count may follow it without a space.
AUDIO_STRONG = {
    "TrueHD Atmos": "truehd atmos, atmos truehd, true hd atmos",
    "DD+ Atmos": ("ddp atmos, ddpa, eac3 atmos, e ac 3 atmos, dd+ atmos"),
    "Atmos": "atmos, dolby atmos, dolbyatmos",
    "TrueHD": "truehd, dolby truehd, dolbytruehd, true hd, true hd51, true hd71",
    "DTS:X": "dts x, dtsx",
    "DTS-HD": (
        "dts hd, dtshd, dts hd ma, dts ma, dtsma, dts hdma, dtshdma, dts hd hra, dts hdhra,"
        " dtshdhra, dts hra, dts hd hr, dts hr, dtshd ma, dts hd es"
    ),
    "DTS": "dts, dts es, dtses, dts express, dtsex, dts core, dtsd",
    "DD+": (
        "ddp, eac3, e ac3, eac 3, e ac 3, ddplus, dd plus, dolby digital plus, dolby ddp,"
        " dolbydigitalplus, dd+"
    ),
    "AC3": (
        "ac3, ac 3, ac3d, dolby digital, dolbydigital, dolbyd, ac3dd, ac3hq, dolby digital ex,"
        " ddex, dd ex"
    ),
    "AAC": "aac, he aac, heaac, aac lc, qaac, aac he",
    "FLAC": "flac",
    "Vorbis": "vorbis",
    "MP3": "mp3, lame",
    "MP2": "mp2, mpa",
    "PCM": "lpcm, pcm",
    "WMA": "wma",
}
AUDIO_WEAK = {"AC3": "dd, dolby", "Opus": "opus", "Vorbis": "ogg"}

AUDIO_PARTS = {
    "ddpa": "DD+ Atmos",
    "ddp": "DD+",
    "dd": "AC3",
    "eac3": "DD+",
    "ac3": "AC3",
    "aac": "AAC",
    "qaac": "AAC",
    "flac": "FLAC",
    "opus": "Opus",
    "dts": "DTS",
    "dtshd": "DTS-HD",
    "dtsma": "DTS-HD",
    "ma": "DTS-HD",
    "truehd": "TrueHD",
    "atmos": "Atmos",
    "mp3": "MP3",
    "lame": "MP3",
    "mpa": "MP2",
    "lpcm": "PCM",
    "pcm": "PCM",
}

CHANNELS_WEAK = {
    "7.1": "7 1, 7 1ch, 8ch",
    "5.1": "5 1, 5 1ch, 6ch, 6 0",
    "2.0": "2 0, 2 0ch, 2ch, stereo",
    "2.1": "2 1",
    "1.0": "1 0, 1ch, mono",
}
