"""Folder names, suffixes and phrases of extras, as media servers and disc rippers write them."""

from quartet.media.names.types import ExtraKind

FOLDERS: dict[ExtraKind, str] = {
    "trailer": "trailers, trailer, teasers, teaser, trailers & teasers",
    "featurette": "featurettes, featurette, special features, bonus features",
    "behind_the_scenes": (
        "behind the scenes, behindthescenes, making of, makingof, the making of,"
        " hinter den kulissen"
    ),
    "deleted_scene": (
        "deleted scenes, deleted scene, deletedscenes, deleted, entfallene szenen,"
        " geschnittene szenen, gelöschte szenen"
    ),
    "interview": "interviews",
    "short": "shorts, short films, kurzfilme",
    "sample": "samples, sample",
    "other": (
        "extras, extra, bonus, bonus material, bonusmaterial, bonus disc, other, scenes, clips,"
        " zusatzmaterial, supplements, backdrops"
    ),
}
# Only an episode code shows that a file in such a folder is not an extra.
LOOSE: frozenset[ExtraKind] = frozenset(("other", "short"))
# After a dash at the end of the name.
SUFFIXES: dict[str, ExtraKind] = {
    "trailer": "trailer",
    "teaser": "trailer",
    "featurette": "featurette",
    "behindthescenes": "behind_the_scenes",
    "makingof": "behind_the_scenes",
    "deleted": "deleted_scene",
    "deletedscene": "deleted_scene",
    "deletedscenes": "deleted_scene",
    "interview": "interview",
    "short": "short",
    "sample": "sample",
    "scene": "other",
    "clip": "other",
    "other": "other",
    "extra": "other",
}
# With a blank for every separator.
PHRASES: dict[str, ExtraKind] = {
    "official trailer": "trailer",
    "teaser trailer": "trailer",
    "theatrical trailer": "trailer",
    "trailer": "trailer",
    "teaser": "trailer",
    "featurettes?": "featurette",
    "behind the scenes": "behind_the_scenes",
    "(?:the )?making of": "behind_the_scenes",
    "(?:deleted|extended|alternate) scenes?": "deleted_scene",
    "(?:gelöschte|geschnittene|entfallene) szenen?": "deleted_scene",
    "gag reel": "other",
    "bloopers": "other",
    "outtakes": "other",
    "bonus material": "other",
}
# Also part of an episode with a number, and never the title of one.
WITH_NUMBERS = ("deleted", "gag", "bloopers", "outtakes", "extended", "alternate")
