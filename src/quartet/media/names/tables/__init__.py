"""Every word the parser knows, one module for each noun; to teach it a word, add the word.

A table gives a value and the ways to write it, in small letters with commas between them. Dots,
dashes and underscores in a name are blanks here: `WEB-DL` is `web dl`. STRONG words end a title
wherever they stand; WEAK ones are words of titles too, and count only beside other facts.
"""


def one_each(words: str) -> frozenset[str]:
    """A set out of words with blanks between them, which is how the tables are easiest to read."""
    return frozenset(words.split())
