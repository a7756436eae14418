"""Words in the place of a release group that are not one."""

from quartet.media.names.tables import word_set

# Tags of indexers and re-posters, in brackets after the group.
REPOSTERS = word_set(
    "ettv eztv eztvx rartv rarbg tgx ethd etrg prime vtv glodls ion10 eztv.re eztvx.to rarbg.to"
    " yts.mx yts.am yts.lt yts.ag yts ztv obfuscated postbot buymore asrequested xpost utr cttv"
    " qxr taoe"
)
# Groups that put their name in front of lower-case file names, where it looks like the title.
KNOWN_GROUPS = word_set(
    "2hd aaf afg ali asap avs axed bae baconnow bamboozle batv bia blow btn c4tv cakes cbfm cookie"
    " crimson crooks ctu d0nk dash deadpool deflate demand diverge dimension docere dvs edith"
    " evolve faiLed felony fever fgt fov fqm ftp gecko geckos ghosts gimini glhf higgsboson"
    " immerse ingot ion10 killers kings kompost kyr lmao lol loki lucidtv megusta memento minx"
    " moritz msd mtb nogrp norite notv nsbc ntb orenji organic orpheus phoenix plutonium qcf"
    " rarbg reward ridehd river rovers saints scene sdi sfm sigma skgtv sparks spamtv"
    " stars strife strontium successfulcrab sva sys syncopy taste tastetv tbs tla tng tns turbo"
    " tvs tvslices upscale uav vegan veto visum w4f walt wat xor yestv zzz"
)
# A site is not a group either.
DOMAINS = word_set("com net org info ru")
# Suffixes that re-posters append after the group.
SUFFIXES = word_set("xpost postbot asrequested obfuscated scrambled buymore sample proof")
# Words at the end of a name that are tags, not a group.
NO_GROUPS = word_set("dl rip hd ma es ex x ray sub subs audio 10bit final end v2 v3")
