"""The words that stand beside a season, an episode or a part, in any language."""

# ruff: noqa: RUF001 - Cyrillic words are meant.

from quartet.media.names.tables import one_each

SEASONS = one_each(
    "season seasons staffel staffeln saison saisons temporada temporadas temp tem stagione stagioni"
    " seizoen seizoenen sezon sezona sezonu sez sæson säsong sesong kausi évad evad sezonul sn"
    " livre сезон сезоны сезона сез 시즌 シーズン"
)
# Also words of titles, so they need a number right behind them.
WEAK_SEASONS = one_each("series serie série séria")
EPISODES = one_each(
    "episode episodes épisode épisodes eps ep folge folgen capitulo capítulo capitulos capítulos"
    " cap episodio episodios episódio puntata aflevering afl odcinek odc bölüm bolum avsnitt"
    " afsnit jakso episod episodul epizoda epizod díl dil rész"
    " серия серии серий серія серії сер эпизод эпизоды выпуск выпуски епізод"
    " seriya seria serii serija serya ser tập 에피소드"
)
PARTS = one_each("part pt teil partie parte deel часть")
DISCS = one_each("cd disc disk")
OF = one_each("of из iz von sur di")

CARDINALS = "one two three four five six seven eight nine ten eleven twelve"
ROMANS = "i ii iii iv v vi vii viii ix x xi xii"
FRENCH = "un deux trois quatre cinq six sept huit neuf dix"
GERMAN = "eins zwei drei vier fünf sechs sieben acht neun zehn"
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
SPECIALS = one_each("special specials extras ova oad ona oav sp bonus sonderfolge")
VIDEO_ANIMATIONS = one_each("ova oad ona oav")
THEMES = one_each("op ed ncop nced opening ending")
COUNTRIES = one_each("US UK AU NZ CA IE")
