"""Words next to a season, an episode or a part, in many languages."""

# ruff: noqa: RUF001 - Cyrillic words are meant.

from quartet.media.names.tables import word_set

SEASONS = word_set(
    "season seasons staffel staffeln saison saisons temporada temporadas temp tem stagione stagioni"
    " seizoen seizoenen sezon sezona sezonu sez sæson säsong sesong kausi évad evad sezonul sn"
    " livre сезон сезоны сезона сез 시즌 シーズン"
)
# Also words in titles, so a number must follow directly.
WEAK_SEASONS = word_set("series serie série séria")
EPISODES = word_set(
    "episode episodes épisode épisodes eps ep folge folgen capitulo capítulo capitulos capítulos"
    " cap episodio episodios episódio episódios puntata puntate aflevering afleveringen afl odcinek"
    " odcinki odc bölüm bölümler bolum bolumler avsnitt"
    " afsnit jakso episod episodul epizoda epizod díl dil rész"
    " серия серии серий серія серії сер эпизод эпизоды выпуск выпуски епізод"
    " seriya seria serii serija serya ser tập 에피소드"
)
PARTS = word_set("part pt teil partie parte deel часть")
DISCS = word_set("cd disc disk")
OF = word_set("of из iz von sur di")

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
MONTH_NAMES = (
    "jan january januar",
    "feb february februar",
    "mar march märz",
    "apr april",
    "may mai",
    "jun june juni",
    "jul july juli",
    "aug august",
    "sep sept september",
    "oct october oktober",
    "nov november",
    "dec december dezember",
)
MONTHS = {name: month for month, names in enumerate(MONTH_NAMES, 1) for name in names.split()}
SPECIALS = word_set("special specials extras ova oad ona oav sp bonus sonderfolge")
VIDEO_ANIMATIONS = word_set("ova oad ona oav")
THEMES = word_set("op ed ncop nced opening ending")
COUNTRIES = word_set("US UK AU NZ CA IE")
