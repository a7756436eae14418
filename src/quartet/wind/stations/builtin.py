"""German coast, lake and mountain stations, used if no list can be fetched."""

from collections.abc import Iterator

from quartet.wind.stations.types import Codes, KnownStation

# Number, latitude, longitude, metres above sea level, name, state.
_LIST = """\
00102 53.8633 8.1275 0 Leuchtturm Alte Weser; Niedersachsen
00183 54.6791 13.4344 42 Arkona; Mecklenburg-Vorpommern
00298 54.3405 12.7108 3 Barth; Mecklenburg-Vorpommern
00433 52.4676 13.4020 48 Berlin-Tempelhof; Berlin
00596 54.0027 11.1908 15 Boltenhagen; Mecklenburg-Vorpommern
00619 53.5788 6.6703 12 Borkum-Süderstraße; Niedersachsen
00701 53.5332 8.5761 7 Bremerhaven; Bremen
00722 51.7986 10.6183 1135 Brocken; Sachsen-Anhalt
00788 54.1193 8.8584 3 Büsum; Schleswig-Holstein
00856 47.8843 12.5404 551 Chieming; Bayern
00891 53.8713 8.7060 5 Cuxhaven; Niedersachsen
01346 47.8748 8.0038 1486 Feldberg/Schwarzwald; Baden-Württemberg
01358 50.4283 12.9536 1213 Fichtelberg; Sachsen
01379 54.7737 9.3753 41 Flensburg; Schleswig-Holstein
01490 47.6454 9.4795 394 Friedrichshafen; Baden-Württemberg
01757 54.0967 13.4056 2 Greifswald; Mecklenburg-Vorpommern
01759 54.2437 13.9102 12 Greifswalder Oie; Mecklenburg-Vorpommern
01963 54.5742 8.5133 4 Hallig Hooge; Schleswig-Holstein
01975 53.6332 9.9881 11 Hamburg-Fuhlsbüttel; Hamburg
02115 54.1750 7.8920 4 Helgoland; Schleswig-Holstein
02290 47.8009 11.0108 977 Hohenpeißenberg; Bayern
02564 54.3776 10.1424 28 Kiel-Holtenau; Schleswig-Holstein
02601 50.2218 8.4469 822 Kleiner Feldberg/Taunus; Hessen
02712 47.6952 9.1307 428 Konstanz; Baden-Württemberg
02907 54.7903 8.9514 7 Leck; Schleswig-Holstein
02961 54.4996 10.2737 0 Leuchtturm Kiel; Schleswig-Holstein
03032 55.0110 8.4125 25 List auf Sylt; Schleswig-Holstein
03631 53.7123 7.1519 12 Norderney; Niedersachsen
03897 54.0893 10.8773 2 Pelzerhaken; Schleswig-Holstein
04024 54.3643 13.4771 40 Putbus; Mecklenburg-Vorpommern
04271 54.1803 12.0808 5 Rostock-Warnemünde; Mecklenburg-Vorpommern
04393 54.3279 8.6031 5 Sankt Peter-Ording; Schleswig-Holstein
04466 54.5275 9.5487 43 Schleswig; Schleswig-Holstein
04919 54.4965 8.8069 7 Strucklahnungshörn; Schleswig-Holstein
05078 53.9619 10.8892 2 Travemünde; Schleswig-Holstein
05142 53.7445 14.0698 1 Ueckermünde; Mecklenburg-Vorpommern
05349 53.5196 12.6654 73 Waren (Müritz); Mecklenburg-Vorpommern
05426 49.3758 8.1212 553 Weinbiet; Rheinland-Pfalz
05516 54.5283 11.0606 3 Fehmarn; Schleswig-Holstein
05792 47.4210 10.9848 2956 Zugspitze; Bayern
05839 53.3881 7.2287 0 Emden; Niedersachsen
05877 54.3160 10.8002 5 Putlos; Schleswig-Holstein
05930 54.6410 10.0238 1 Schönhagen; Schleswig-Holstein
06091 53.7674 7.6721 14 Spiekeroog; Niedersachsen
06102 47.5396 9.6843 397 Lindau; Bayern
"""


def builtin_stations() -> Iterator[KnownStation]:
    for line in _LIST.splitlines():
        number, lat, lon, height, names = line.split(maxsplit=4)
        name, state = names.split("; ")
        yield KnownStation(
            name,
            float(lat),
            float(lon),
            Codes(dwd=number),
            "DE",
            "Europe/Berlin",
            None,
            state,
            float(height),
        )
