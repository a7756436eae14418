"""Abbreviations of streaming services and stations; they count only in capitals."""

WEAK = (
    "amzn, nf, netflix, dsnp, hulu, hmax, max, atvp, pcok, pmtp, crav, ip, stan, red, cr, cc,"
    " amazon, hbo, hbomax, pluto, tubi, roku, anpl, blutv, jhs, hotstar, zee5, sony, aha, play,"
    " vrv, syfy, cmax, dscp, dscv, disney, sho, starz, stz, viki, iqiyi, wetv, bilibili, baha,"
    " b global, cbs, abc, nbc, fox, ma, mubi, itv, all4, bbc, snet, discovery plus, appletv,"
    " apple tv, nick, rakuten, vudu, ddy"
)
