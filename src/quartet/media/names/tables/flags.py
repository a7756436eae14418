"""Flags of a release, such as a corrected or a dubbed one."""

WEAK = {
    "proper": "proper, real proper",
    "repack": "repack, rerip, repack2, repack3, rerip2, fixed",
    "dubbed": (
        "dubbed, dub, dublado, doppiato, pldub, dubpl, fandub, fan dub, line dubbed, mic dubbed,"
        " dubbing, tv dub, md, ld, ac3d, ac3ld, ac3md, funidub, мд"
    ),
    "dual": "dl, dual, dual audio, dualaudio, multi, ml, multi audio, multiaudio, tri audio",
    "sample": "sample",
}
