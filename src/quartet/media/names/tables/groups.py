"""What stands where a release group would, and is none."""

from quartet.media.names.tables import one_each

# Tags of indexers and re-posters, in brackets after the group.
REPOSTERS = one_each(
    "ettv eztv eztvx rartv rarbg tgx ethd etrg prime vtv glodls ion10 eztv.re eztvx.to rarbg.to"
    " yts.mx yts.am yts.lt yts.ag yts ztv obfuscated postbot buymore asrequested xpost utr cttv"
)
# A site is none either.
DOMAINS = one_each("com net org info ru")
# What they hang onto the end of a name, behind the group.
SUFFIXES = one_each("xpost postbot asrequested obfuscated scrambled buymore sample proof")
# Words at the end of a name that are facts, not a group.
NO_GROUPS = one_each("dl rip hd ma es ex x ray sub subs audio 10bit final end v2 v3")
