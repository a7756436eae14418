"""The vocabulary of the name parser, one module per topic. To teach it a word, add it here.

A table maps a value to its spellings, in lower case and separated by commas. Dots, dashes and
underscores count as spaces: `WEB-DL` is `web dl`. STRONG words end a title anywhere; WEAK words
also occur in titles and count only next to other tags.
"""


def word_set(words: str) -> frozenset[str]:
    """Return the words of a space-separated text as a set."""
    return frozenset(words.split())
