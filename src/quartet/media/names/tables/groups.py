"""Words in the place of a release group that are not one."""

from quartet.media.names.tables import word_set

# Tags of indexers and re-posters, in brackets after the group.
REPOSTERS = word_set(
    "ettv eztv eztvx rartv rarbg tgx ethd etrg prime vtv glodls ion10 eztv.re eztvx.to rarbg.to"
    " yts.mx yts.am yts.lt yts.ag yts ztv obfuscated postbot buymore asrequested xpost utr cttv"
)
# A site is not a group either.
DOMAINS = word_set("com net org info ru")
# Suffixes that re-posters append after the group.
SUFFIXES = word_set("xpost postbot asrequested obfuscated scrambled buymore sample proof")
# Words at the end of a name that are tags, not a group.
NO_GROUPS = word_set("dl rip hd ma es ex x ray sub subs audio 10bit final end v2 v3")
