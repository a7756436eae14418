"""Cuts and editions.

All of them also occur in titles, so they count only next to a year or another tag.
"""

WEAK = {
    "Director's Cut": (
        "director's cut, directors cut, director cut, director's edition, the director's cut,"
        " the directors cut, dc"
    ),
    "Extended": (
        "extended cut, extended edition, extended version, the extended cut, the extended edition,"
        " extended, version longue"
    ),
    "Theatrical": "theatrical cut, theatrical edition, theatrical version, theatrical",
    "Special Edition": "special edition, se",
    "Collector's Edition": (
        "collector's edition, collectors edition, collector edition, edition collector"
    ),
    "Ultimate Edition": "ultimate edition, ultimate cut, ultimate collector's edition, ultimate",
    "Anniversary Edition": ", ".join(
        ("anniversary edition", *(f"{years}th anniversary edition" for years in range(10, 101, 5)))
    ),
    "Criterion": "criterion collection, criterion edition, criterion",
    "Final Cut": "final cut, the final cut",
    "Open Matte": "open matte, om",
    "Deluxe Edition": "deluxe edition",
    "Limited Edition": "limited edition",
    "Unrated": "unrated edition, unrated cut, unrated version, unrated",
    "Uncut": "uncut edition, uncut version, uncut, ungeschnitten, uncensored, unzensiert",
    "Fan Edit": "fan edit, fanedit",
    "IMAX": "imax, imax edition",
    "Remastered": (
        "remastered, remaster, 4k remastered, 4k remaster, hd remastered, hd remaster,"
        " remasterizado, restored"
    ),
    "Limited": "limited",
    "Festival": "festival",
}
