"""Words without a value of their own that mark the end of the title."""

STRONG = (
    "10bit, 8bit, 12bit, 10 bit, 8 bit, 12 bit, hi10p, hi10, hi444pp, hi422p, ma10p, hsbs, h sbs,"
    " half sbs, hou, h ou, half ou, full sbs, half top bottom, side by side, triple audio,"
    " english audio, french audio, org auds, org aud, upscaled, ai enhanced, crf,"
    " vr180, vr360, vr 180, vr 360,"
    " 23 976 fps, 23 976fps, 23 98 fps, 23 98fps, 29 97 fps, 29 97fps, 59 94 fps, 59 94fps,"
    " creditless, dxva, readnfo, read nfo, dirfix, nfofix, samplefix, mvo, dvo, avo, lektor,"
    " lektor pl, 1cd, 2cd, 3cd, 4cd, 1 cd, 2 cd, 3 cd, 4 cd"
)
# The same; they say that the language is not the one of the title.
SUBTITLES = (
    "esub, esubs, e sub, e subs, hc esub, msub, msubs, multisub, multisubs, multi sub, multi subs,"
    " multiple subtitle, multiple subtitles, softsub, softsubs, softsubbed, soft sub, hardsub,"
    " hardsubs, hard sub, hardcoded, subbed, subspack, vostfr, vost, subfrench, sub fr, swesub,"
    " plsub, korsub, kor sub, subforced, sub forced, fastsub, vosta, vosten, stfr, vfstfr,"
    " dksubs, nlsub, nlsubs, nl subs, napisy, napisypl, napisy pl, legendado, legendas, sub ita,"
    " subita, engsub, engsubs, eng sub, eng subs, english subs,"
    " hebsub, hebsubs, sub indo, subtitle indonesia, sub español, sub espanol"
)
WEAK = (
    "internal, hybrid, retail, custom, pal, ntsc, secam, ws, fs, hc, hd, hq, sd, hr, widescreen,"
    " fullscreen, convert, 3d, sbs, ou, clean audio, line audio, audio, audios, subs, sub,"
    " subtitles, extras, doku, documentary, feature film, mkv, mp4, avi, m4v, cd,"
    " disc, disk, censored, bs11, big5, chs, cht, gb, vfr, preair, pre air,"
    " ad free, nogrp, regraded, colorized, rm4k, rip, mux, muxed, org, original audio,"
    " nordic, stv, hfr, docu, reportage, bonus, rated, nuked, subpack, quebec, multilang,"
    " web series, coffret, xxx, alta definicion, unknown release type"
)
# Before a season these are not part of the title.
COMPLETE = (
    "complete, the complete, integral, completa, completas, completo, komplett, die komplette"
)
# The same, also for movies.
WHOLE = "all, season, seasons, collection, complete collection, complete version"
# The same, and never part of a title.
COLLECTIONS = "ultimate collection, ultimate fan collection, complete film collection"
# The same, and they mark a series.
SERIES = (
    "complete series, the complete series, complete miniseries, miniseries, mini series,"
    " serie completa, la serie completa, complete box set, box set, boxset, integrale, intégrale,"
    " l'integrale, lintegrale, l'intégrale, l'intégrale de la série, série complète,"
    " la série complète, série completa, komplette serie, die komplette serie, complete serie,"
    " de complete serie, все сезоны, wszystkie sezony"
)
# Also words in titles, so they never end one; alone in a bracket they are not a title.
FORMAT = "movie, movies, specials, special, ova, oav, oad, ona, tv, mv, pv"
# Right after an episode: `25 END`.
ENDING = "final, end, fin, batch, preview, 合集, 全集, tv全集, 完, 完结, 完結, 全话, 全集打包"
# The number before these is not an episode.
MEASURES = "fps, mb, gb, gib, mib, kbps, mbps, bit"
