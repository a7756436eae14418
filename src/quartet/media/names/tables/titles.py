"""Words that are no title by themselves."""

from quartet.media.names.tables import one_each

ARTICLES = one_each("the a an der die das ein eine le la les un une el los las il lo gli o os as")
