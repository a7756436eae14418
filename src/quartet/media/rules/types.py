"""The sixteen kinds of rules, and the requests and responses for them."""

from typing import Annotated, Literal

import msgspec

from quartet.kernel.errors import Problem

MOST_RULES = 100
MOST_NAMES = 10_000
# Longer than any valid name; keeps rules from producing huge texts.
LONGEST_TEXT = 4000

Text = Annotated[str, msgspec.Meta(max_length=500)]
# PostgreSQL does not accept NUL characters in text.
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"^[^\x00]*$")]
Count = Annotated[int, msgspec.Meta(ge=0, le=1000)]
Digits = Annotated[int, msgspec.Meta(ge=1, le=10)]
EntryRef = Literal["start", "end"]
Sort = Literal["list", "name"]


class Common(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    id: Annotated[str, msgspec.Meta(max_length=40)] = ""
    enabled: bool = True
    # The part of the name to change: without the extension, the extension, or both.
    target: Literal["name", "extension", "full"] = "name"
    applies_to: Literal["all", "files", "folders"] = "all"


class Replace(Common, frozen=True, tag="replace", tag_field="type", kw_only=True, rename="camel"):
    """With `regex`, `$1` and `${name}` insert the groups."""

    find: Text
    replace: Text = ""
    regex: bool = False
    case_sensitive: bool = False
    all: bool = True


class Insert(Common, frozen=True, tag="insert", tag_field="type", kw_only=True, rename="camel"):
    text: Text
    position: Literal["start", "end", "index"] = "start"
    # Counted from 0, or from the end if negative.
    index: Annotated[int, msgspec.Meta(ge=-1000, le=1000)] = 0


class Remove(Common, frozen=True, tag="remove", tag_field="type", kw_only=True, rename="camel"):
    start: Count = msgspec.field(name="from", default=0)
    count: Count = 1
    from_end: bool = False


class Case(Common, frozen=True, tag="case", tag_field="type", kw_only=True, rename="camel"):
    to: Literal["title", "lower", "upper", "sentence"] = "title"


class Separators(
    Common, frozen=True, tag="separators", tag_field="type", kw_only=True, rename="camel"
):
    """Replaces dots, underscores and spaces between words by one separator."""

    separator: Text = " "


class Numbering(
    Common, frozen=True, tag="numbering", tag_field="type", kw_only=True, rename="camel"
):
    start: Annotated[int, msgspec.Meta(ge=0, le=10**9)] = 1
    step: Annotated[int, msgspec.Meta(ge=-1000, le=1000)] = 1
    padding: Annotated[int, msgspec.Meta(ge=0, le=10)] = 2
    position: Literal["start", "end", "replace"] = "start"
    separator: Text = " "
    sort: Sort = "list"
    # Starts again in every folder.
    per_folder: bool = False


class Date(Common, frozen=True, tag="date", tag_field="type", kw_only=True, rename="camel"):
    """`YYYY`, `YY`, `MM`, `DD`, `HH`, `mm` and `ss` are the parts of the time."""

    source: Literal["mtime", "birthtime"] = "mtime"
    format: Text = "YYYY-MM-DD"
    position: Literal["start", "end", "replace"] = "start"
    separator: Text = " "


class Extension(
    Common, frozen=True, tag="extension", tag_field="type", kw_only=True, rename="camel"
):
    """An empty `to` keeps the extension and only changes its case."""

    to: Annotated[str, msgspec.Meta(max_length=20)] = ""
    case: Literal["keep", "lower", "upper"] = "lower"


class Transliterate(
    Common, frozen=True, tag="transliterate", tag_field="type", kw_only=True, rename="camel"
):
    """With `stripDiacritics` only accents are removed; otherwise other scripts are transliterated
    too.
    """

    strip_diacritics: bool = False


class CutAfter(Common, frozen=True, tag="cutAfter", tag_field="type", kw_only=True, rename="camel"):
    pattern: Text
    regex: bool = False
    keep_match: bool = False


class Pad(Common, frozen=True, tag="pad", tag_field="type", kw_only=True, rename="camel"):
    """Pads every number in the name to at least this many digits."""

    digits: Digits = 2


class Cleanup(Common, frozen=True, tag="cleanup", tag_field="type", kw_only=True, rename="camel"):
    brackets: bool = True
    separators: bool = True
    spaces: bool = True


class Strip(Common, frozen=True, tag="strip", tag_field="type", kw_only=True, rename="camel"):
    digits: bool = False
    symbols: bool = False
    chars: Text = ""


class Rearrange(
    Common, frozen=True, tag="rearrange", tag_field="type", kw_only=True, rename="camel"
):
    """`$1` is the first part between delimiters; names without a delimiter stay unchanged."""

    delimiter: Annotated[str, msgspec.Meta(min_length=1, max_length=500)] = " - "
    pattern: Text = "$2 - $1"


class NameList(Common, frozen=True, tag="list", tag_field="type", kw_only=True, rename="camel"):
    names: Annotated[list[Text], msgspec.Meta(max_length=MOST_NAMES)]
    sort: Sort = "list"


class Metadata(Common, frozen=True, tag="metadata", tag_field="type", kw_only=True, rename="camel"):
    """Inserts tags: `{artist}`, `{album}`, `{track}`, `{title}`, `{date:YYYY-MM-DD}` and others.

    A file that lacks one of them keeps its name. With `folders`, such as `{date:YYYY}/{date:MM}` or
    `{artist}/{album}`, files are also moved to these folders below their target folder.
    """

    template: Text
    folders: Text = ""
    position: Literal["replace", "start", "end"] = "replace"


Rule = (
    Replace
    | Insert
    | Remove
    | Case
    | Separators
    | Numbering
    | Date
    | Extension
    | Transliterate
    | CutAfter
    | Pad
    | Cleanup
    | Strip
    | Rearrange
    | NameList
    | Metadata
)
Rules = Annotated[list[Rule], msgspec.Meta(max_length=MOST_RULES)]


class File(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A file or folder that rules are applied to. Times are in seconds since 1970."""

    folder: str = ""
    name: str
    is_folder: bool = False
    modified: float | None = None
    created: float | None = None
    tags: dict[str, str] = {}


class RulesPreviewRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Files inside the configured folders, in numbering order."""

    rules: Rules
    paths: Annotated[
        list[Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]],
        msgspec.Meta(max_length=5000),
    ]


class Renamed(msgspec.Struct, frozen=True):
    """`steps` has the name after each enabled rule."""

    path: str
    name: str
    steps: list[str]
    # Another file would get the same name in the same folder.
    conflict: bool = False


class RulesPreview(msgspec.Struct, frozen=True):
    files: list[Renamed]
    # The error in a rule, with the rule's index.
    error: Problem | None = None


class NewRuleSet(msgspec.Struct, frozen=True):
    name: Name
    rules: Rules


class RuleSet(msgspec.Struct, frozen=True):
    id: int
    name: str
    rules: Rules


class RulesFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule set as YAML."""

    yaml: Annotated[str, msgspec.Meta(max_length=1_000_000)]
