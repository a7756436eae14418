"""Words that are no title by themselves."""

from quartet.media.names.tables import one_each

# Titles begin with them, and no word goes on with them behind a hyphen.
OPENERS = one_each("the how what when where who why der die das les")
ARTICLES = one_each("the a an der die das ein eine le la les un une el los las il lo gli o os as")
