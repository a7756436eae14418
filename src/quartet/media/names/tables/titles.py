"""Words that are not a title on their own."""

from quartet.media.names.tables import word_set

# Titles start with these, and no hyphenated word continues with them.
OPENERS = word_set("the how what when where who why der die das les")
ARTICLES = word_set("the a an der die das ein eine le la les un une el los las il lo gli o os as")
# No title ends with these, so the word that follows belongs to it.
INCOMPLETE = word_set("the an my your our their of and or der das ein eine und oder le les un une")
