import pytest

from quartet.media.catalog.demo import Demo
from quartet.media.catalog.demo.data import movies, series

pytestmark = pytest.mark.anyio


def test_demo_lists_are_complete() -> None:
    assert len(movies()) > 400
    assert len(series()) > 50
    for candidate in movies().values():
        assert candidate.title.strip() == candidate.title
        assert 1900 < (candidate.year or 0) < 2030
    for show in series().values():
        assert show.episodes
        assert all(episode.title for episode in show.episodes)


async def test_search_finds_titles_in_every_script() -> None:
    demo = Demo()
    for words, title in [
        ("spirited away", "Spirited Away"),
        ("千と千尋の神隠し", "Spirited Away"),
        ("сталкер", "Stalker"),
        ("기생충", "Parasite"),
        ("AMELIE", "Amélie"),
        ("wall e", "WALL·E"),
        ("mash", "M*A*S*H"),
    ]:
        found = await demo.search_movie(words, None)
        assert found and found[0].title == title, words


async def test_episodes_have_absolute_numbers() -> None:
    demo = Demo()
    (show, *_) = await demo.search_series("breaking bad", None)
    episodes = await demo.episodes(show.id, "aired")
    assert show.episode_count == len(episodes) == 62
    assert (episodes[61].season, episodes[61].episode, episodes[61].absolute) == (5, 16, 62)
    assert episodes[61].title == "Felina"
    assert await demo.series(show.id) == show
    assert await demo.series("nothing") is None
    assert await demo.episodes("nothing", "aired") == []
