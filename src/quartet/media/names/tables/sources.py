"""Sources of the picture. A spelling with more words wins over a shorter one."""

STRONG = {
    "Remux": "remux, bdremux, bd remux, bluray remux, blu ray remux, uhdremux, dvdremux, bd rm",
    "BluRay": (
        "bluray, blu ray, bluray rip, blu ray rip, blurayrip, bdrip, bd rip, brrip, br rip,"
        " bdmux, bdmv, uhd bluray, uhd blu ray, uhdrip, uhd rip, uhd bdrip, ultrahd bluray, bd25,"
        " bd50, bd66, bd100, bd5, bd9, microbluray, m bluray, bluray3d, blu rayrip, brmux,"
        " brripmux, bdripmux, bluraymux, uhdbd, uhd bd, fullbluray, ultra hd blu ray, brip, bdr,"
        " bdscr"
    ),
    "WEB-DL": (
        "webdl, web dl, webdlrip, web dlrip, web dl rip, webmux, webhd, web hd, webuhd, web uhd,"
        " itunes hd, dlweb, dl web, webdlmux, web dlmux, dlrip, dl mux, dlmux, wed dl"
    ),
    "WEBRip": "webrip, web rip, webcap, web cap, webcaprip, vodrip, vod rip, vodr",
    "HDRip": (
        "hdrip, hd rip, hq hdrip, hdlight, hd light, 4klight, microhd, micro hd, mhd, pre hd,"
        " wbbrip"
    ),
    "HDTV": (
        "hdtv, hd tv, hdtvrip, hdtv rip, hd tvrip, hdtvmux, ahdtv, pdtv, pdtvrip, tvrip, tv rip,"
        " dvb, dvbrip, dvb rip, dsr, dsrip, dsr rip, satrip, sat rip, dthrip, dth rip, dtvrip,"
        " iptvrip, hdmitv, tvhd, tv hd, uhdtv, hdtv1080p, hdtv720p, sdtv, dsrrip, dtv, digital tv,"
        " sdtvrip, pd tv, ds rip, rip tv, rip sd tv, dvbs, hd tv rip, ahdtv rip, uhd tv, pdtv rip,"
        " dthdrip, dth, tv dub"
    ),
    "HD DVD": "hddvd, hd dvd, hddvdrip, hd dvdrip, hd dvd rip, hddvd rip",
    "DVD": (
        "dvdrip, dvd rip, dvdmux, dvd5, dvd 5, dvd9, dvd 9, dvdr, dvd r, dvdr9, dvdr5, dvdfull,"
        " dvdivx, dvdrips, video ts, full dvd, dvdrip r5, dvd rip r5, ntsc dvdr, pal dvdr, xdvdrip"
    ),
    "DVD Screener": (
        "dvdscr, dvd scr, dvdscreener, dvd screener, dvdscr rip, dvd scr rip, dvdscrrip"
    ),
    "Screener": (
        "bdscr, bd scr, screener, scr, webscr, web screener, desiscr, predvd, predvdrip, pre dvd,"
        " webscreener, bdscreener, vodscr"
    ),
    "Telecine": "telecine, hdtc, hd tc, tcrip, hdtcrip, hq tc, hqtc, tc rip, hd telecine, htdc",
    "Telesync": (
        "telesync, hdts, hd ts, tsrip, hdtsrip, ts screener, hq ts, hqts, pdvd, tele sync,"
        " telesyncrip, ts rip, hd telesync, hdtelesync, p dvd, pdvdrip, tsx, rip ts"
    ),
    "CAM": (
        "camrip, cam rip, hdcam, hd cam, hqcam, hq cam, camhd, cam hd, hdcamrip, s print, hq s"
        " print, hd camrip, dvdcam, new cam, clean cam"
    ),
    "VHS": "vhsrip, vhs rip",
    "Digital Master": "dmrip, dm rip",
    "Laserdisc": "laserdisc, laser disc, ldrip, ld rip",
    "Workprint": "workprint, work print",
    "PPV": "ppvrip, ppv rip",
}
WEAK = {
    "BluRay": "bd, uhd bd, br",
    "WEB-DL": "web, itunes",
    "WEBRip": "vod",
    "HDTV": "hd1080, satellite",
    "DVD": "dvd, mdvd, r2j, r5 dvd",
    "Telesync": "ts",
    "Telecine": "tc",
    "CAM": "cam",
    "PPV": "ppv",
    "VHS": "vhs",
    "Digital Master": "dm",
    "Workprint": "wp",
    "R5": "r5, r6, region 5",
}
