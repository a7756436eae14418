"""Languages by ISO 639-1 code, with full names and three-letter codes.

Two-letter codes must be capitals.
"""

from quartet.media.names.tables import word_set

WORDS = {
    "ar": "arabic, ara, arab",
    "bg": "bulgarian, bul",
    "bn": "bengali, ben",
    "ca": "catalan, catala, català, cat",
    "cs": "czech, cze, ces",
    "da": "danish, dansk, dan",
    "de": "german, deutsch, ger, deu, swissgerman, austrian, german dl, german ml, germandl",
    "el": "greek, gre, ell",
    "en": "english, eng, englisch, anglais, ingles, inglés",
    "es": (
        "spanish, espanol, español, castellano, spa, esp, latino, latin, espanol latino, cast,"
        " audio latino, es la, es es"
    ),
    "et": "estonian, est",
    "fa": "persian, farsi",
    "fi": "finnish, suomi, fin",
    "fr": (
        "french, truefrench, vff, vfq, vfi, vf2, vf, vo vff, fra, fre, français, francais, vof, fr"
    ),
    "gu": "gujarati",
    "he": "hebrew, heb",
    "hi": "hindi, hin",
    "hr": "croatian, hrv",
    "hu": "hungarian, magyar, hun",
    "id": "indonesian, indo",
    "is": "icelandic",
    "it": "italian, italiano, ita",
    "ja": "japanese, jap, jpn, japonais",
    "kn": "kannada, kan",
    "ko": "korean, kor",
    "lt": "lithuanian, lit",
    "lv": "latvian, lav",
    "ml": "malayalam, mal",
    "mr": "marathi, mar",
    "nl": "dutch, flemish, nld, nederlands",
    "no": "norwegian, norsk, nor",
    "pa": "punjabi, pun",
    "pl": "polish, polski, pol, lektor pl, dubpl, pldub",
    "pt": "portuguese, por, portugues, português, brazilian, pt br, ptbr, dublado",
    "ro": "romanian, rum, ron",
    "ru": "russian, rus, русский",
    "sk": "slovak, slo, slk",
    "sl": "slovenian, slv",
    "sr": "serbian, srp",
    "sv": "swedish, svenska, swe",
    "ta": "tamil, tam",
    "te": "telugu, tel",
    "th": "thai, tha",
    "tr": "turkish, turkce, türkçe, tur",
    "uk": "ukrainian, ukr",
    "vi": "vietnamese, vie",
    "zh": "chinese, mandarin, cantonese, chi, zho",
}
# Also words and names in titles, so they count only in capitals.
ALSO_TITLE_WORDS = word_set("ben cat dan est fin kan lit mar nor por pun vie")
# In capitals after the title: `1080p.DE.EN`.
CODES = word_set("AR BG CS DA DE EL EN ES FI FR HE HI HU IT JA JP KO NL PL PT RO RU SV TR UA ZH")
CODE_OF = {"JP": "ja", "UA": "uk"}
# Codes that are also titles or words in titles.
ALSO_TITLE_CODES = word_set("DA EL HE HI IT")
# Next to one of these, a language is that of the subtitles.
SUBTITLE_WORDS = word_set(
    "sub subs subbed subtitle subtitles subtitulado subtitulos napisy softsub softsubs hardsub"
    " hardsubs legendado legendas ut untertitel st"
)
