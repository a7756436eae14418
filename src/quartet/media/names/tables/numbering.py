"""Words next to a season, an episode or a part, in many languages."""

# ruff: noqa: RUF001 - Cyrillic words are meant.

from quartet.media.names.tables import word_set

SEASONS = word_set(
    "season seasons staffel staffeln saison saisons temporada temporadas temp tem stagione stagioni"
    " seizoen seizoenen sezon sezona sezonu sez sæson säsong sesong kausi évad evad sezonul sn"
    " livre livres сезон сезоны сезона сез 시즌 シーズン"
)
# Also words in titles, so a number must stand directly next to them.
WEAK_SEASONS = word_set("series serie série séria")
EPISODES = word_set(
    "episode episodes épisode épisodes eps ep folge folgen flg capitulo capítulo capitulos"
    " capítulos cap episodio episodi episodios episódio episódios puntata puntate aflevering"
    " afleveringen afl odcinek odcinki odc bölüm bölümler bolum bolumler avsnitt"
    " afsnit jakso episod episodul epizoda epizod díl dil rész"
    " серия серии серий серія серії сер эпизод эпизоды выпуск выпуски епізод"
    " seriya seria serii serija serya ser tập 에피소드 الحلقة حلقة επεισόδιο פרק"
)
PARTS = word_set("part pt teil partie parte deel часть část")
PART_NUMBER_WORDS = PARTS | {"parts", "chapter"}
DISCS = word_set("cd disc disk")
OF = word_set("of из iz von sur di av af van de")

CARDINALS = "one two three four five six seven eight nine ten eleven twelve"
ROMANS = "i ii iii iv v vi vii viii ix x xi xii"
FRENCH = "un deux trois quatre cinq six sept huit neuf dix"
GERMAN = "eins zwei drei vier fünf sechs sieben acht neun zehn"
# Numbers that are not Roman; those are often part of a title.
SPELLED = (CARDINALS + " " + FRENCH + " " + GERMAN).split()
VALUES = {
    word: number
    for words in (CARDINALS, ROMANS, FRENCH, GERMAN)
    for number, word in enumerate(words.split(), 1)
}
# `Second Season`, `Zweite Staffel`, `Tercera Temporada`; German ones also end with `n` or `s`.
ORDINALS = {
    word: number
    for words in (
        "first second third fourth fifth sixth seventh eighth ninth tenth",
        "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte",
        "première deuxième troisième quatrième cinquième sixième septième huitième neuvième"
        " dixième",
        "primera segunda tercera cuarta quinta sexta séptima octava novena décima",
        "prima seconda terza quarta quinta sesta settima ottava nona decima",
        "primeira segunda terceira quarta quinta sexta sétima oitava nona décima",
        "eerste tweede derde vierde vijfde zesde zevende achtste negende tiende",
        "первый второй третий четвертый пятый шестой седьмой восьмой девятый десятый",
    )
    for number, word in enumerate(words.split(), 1)
} | {"premiere": 1, "deuxieme": 2, "troisieme": 3, "quatrieme": 4, "cinquieme": 5, "четвёртый": 4}
MONTH_NAMES = (
    "jan january januar janvier enero janeiro gennaio januari января stycznia ocak",
    "feb february februar février fevrier febrero fevereiro febbraio februari февраля lutego şubat",
    "mar march märz mars marzo março maart mrt марта marca mart",
    "apr april avril abril aprile апреля kwietnia nisan",
    "may mai mayo maio maggio mei maj мая maja mayıs",
    "jun june juni juin junio junho giugno июня czerwca haziran",
    "jul july juli juillet julio julho luglio июля lipca temmuz",
    "aug august août aout agosto augustus augusti августа sierpnia ağustos",
    "sep sept september septembre septiembre setembro settembre сентября września eylül",
    "oct october oktober octobre octubre outubro ottobre октября października ekim",
    "nov november novembre noviembre novembro ноября listopada kasım",
    "dec december dezember décembre decembre diciembre dezembro dicembre декабря grudnia aralık",
)
MONTHS = {name: month for month, names in enumerate(MONTH_NAMES, 1) for name in names.split()}
SPECIALS = word_set("special specials extras ova oad ona oav sp bonus sonderfolge")
VIDEO_ANIMATIONS = word_set("ova oad ona oav")
THEMES = word_set("op ed ncop nced opening ending")
COUNTRIES = word_set("US UK AU NZ CA IE")
