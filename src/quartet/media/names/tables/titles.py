"""Words that are not a title on their own."""

from quartet.media.names.tables import word_set

# Titles start with these, and no hyphenated word continues with them.
OPENERS = word_set("the how what when where who why der die das les")
ARTICLES = word_set("the a an der die das ein eine le la les un une el los las il lo gli o os as")
