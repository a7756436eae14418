"""Web pages, sitemaps and playlists become their links."""

import gzip
import time
from pathlib import Path

import pytest

from quartet.downloads.request_headers import RequestHeaders
from quartet.downloads.webpages import documents
from quartet.downloads.webpages.crawl import PageCrawl
from quartet.downloads.webpages.html_page import read_html
from quartet.downloads.webpages.lists import FILE, read_xml
from quartet.downloads.webpages.types import CrawlLimits, Document
from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient
from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, until, until_all
from tests.downloads.imitations.media import PIECES, MediaSite
from tests.downloads.plugins import imitation
from tests.downloads.web_pages import ALLOWED, NO_HEADERS, Pages, crawled, paths

pytestmark = pytest.mark.anyio


async def test_page_is_searched_to_the_wanted_depth(pages: Pages) -> None:
    start = pages.put(
        "/",
        '<title>Start</title><a href="one.zip">1</a><a href="mailto:a@b.example">m</a>'
        '<a href="/next">n</a><a href="https://elsewhere.invalid/page">e</a>'
        '<video src="film.mp4"></video><p>or https://files.invalid/two.rar</p>',
    )
    pages.put("/next", '<base href="/far/"><a href="three.zip">3</a><a href="/last">l</a>')
    pages.put("/last", '<a href="four.zip">4</a><a href="/">back</a>')
    wanted = ["/one.zip", "mailto:a@b.example", "/film.mp4", "https://files.invalid/two.rar"]
    assert await paths(start, 1) == wanted
    assert await paths(start, 2) == [*wanted, "/far/three.zip"]
    pages.asked.clear()
    assert await paths(start, 5) == [*wanted, "/far/three.zip", "/four.zip"]
    assert pages.asked == ["/", "/next", "/last"]


def test_first_base_of_a_page_counts() -> None:
    """Thousands of them were joined to an ever longer address, which took hours."""
    began = time.thread_time()
    hostile = '<base href="a/">' * 20_000 + "<title>" + "t <b>" * 100_000 + '<a href="x.zip">'
    document = read_html("http://h.example/", hostile)
    assert [link.url for link in document.links] == ["http://h.example/a/x.zip"]
    assert time.thread_time() - began < 10
    odd = read_html("http://h.example/", '<base href="http://["><a href="x.zip">')
    assert [link.url for link in odd.links] == ["http://h.example/x.zip"]


async def test_page_that_is_no_index_is_not_searched_unasked(pages: Pages) -> None:
    start = pages.put("/", '<title>Welcome</title><a href="one.zip">1</a>')
    with pytest.raises(AppError, match="web_page"):
        await crawled(start)


async def test_limits_end_the_search(pages: Pages) -> None:
    for number in range(20):
        pages.put(f"/{number}", f'<a href="/{number}.zip"></a><a href="/{number + 1}"></a>')
    assert len(await paths(f"{pages.base}/0", 5, pages=3)) == 3
    assert len(await paths(f"{pages.base}/0", 5, links=2)) == 2
    assert len(await paths(f"{pages.base}/0", 5, bytes=1)) == 1


async def test_sitemaps_and_their_index(pages: Pages) -> None:
    head = '<?xml version="1.0"?><{0} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{1}</{0}>'

    def listed(*names: str) -> str:
        return "".join(f"<url><loc>{pages.base}/{name}</loc></url>" for name in names)

    start = pages.put("/sitemap.xml", head.format("sitemapindex", listed("two.xml.gz")), "text/xml")
    packed = gzip.compress(head.format("urlset", listed("a.pdf", "page")).encode())
    pages.put("/two.xml.gz", packed, "application/gzip")
    pages.put("/page", '<a href="b.pdf">b</a>')
    assert await paths(start, 1) == ["/a.pdf"]
    assert await paths(start, 2) == ["/a.pdf", "/b.pdf"]


async def test_playlist_becomes_its_files(ada: Client, pages: Pages) -> None:
    pages.put("/one.mp3", b"1" * 10, "audio/mpeg")
    pages.put("/two.mp3", b"2" * 20, "audio/mpeg")
    text = f"#EXTM3U\n#EXTINF:1,One\none.mp3\r\n\n#EXTINF:2,Two\n{pages.base}/two.mp3\n"
    await add(ada, pages.put("/all.m3u8", text, "text/plain"))
    shown = await until(ada, lambda all: [each["online"] for each in all] == ["online"] * 2)
    assert [(each["name"], each["size"]) for each in shown] == [("one.mp3", 10), ("two.mp3", 20)]


async def test_stream_becomes_one_media_download(ada: Client, tmp_path: Path) -> None:
    site = MediaSite()
    async with imitation(site.routes()) as base:
        await add(ada, f"{base}/list.m3u8", start=True)
        [shown] = await until_all(ada, "finished", "failed")
        assert (shown["pluginId"], shown["error"]) == ("yt-dlp", None)
        assert (tmp_path / "done" / shown["file"]).read_bytes() == b"".join(PIECES)


async def test_manifest_of_dash_is_media(pages: Pages) -> None:
    text = '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"></MPD>'
    start = pages.put("/film.mpd?key=1", text, "application/dash+xml")
    assert await paths(start) == ["/film.mpd?key=1#media"]


async def test_user_searches_a_page_of_the_link_grabber(ada: Client, pages: Pages) -> None:
    magnet = f"magnet:?xt=urn:btih:{'ab' * 20}&dn=Film"
    pages.put("/one.zip", b"zip", "application/zip")
    start = pages.put(
        "/forum", f'<title>A post</title><a href="one.zip">1</a><a href="{magnet}">m</a>'
    )
    await add(ada, start, "https://files.invalid/x.bin")
    [page, _] = await until(ada, lambda all: all[0]["online"] == "offline")
    assert page["error"]["code"] == "web_page"
    await act(ada, "/api/links/crawl", json={"downloadIds": [page["id"]], "depth": 1})
    await until(ada, lambda all: "one.zip" in [d["name"] for d in all if d["online"] == "online"])
    found = [each["url"] for each in await downloads(ada)]
    assert start not in found and sum(url.startswith("magnet:") for url in found) == 1


async def test_page_without_links_stays_with_its_reason(ada: Client, pages: Pages) -> None:
    await add(ada, pages.put("/empty", "<title>Nothing</title>"))
    [page] = await until(ada, lambda all: all[0]["error"] is not None)
    await act(ada, "/api/links/crawl", json={"downloadIds": [page["id"]]})
    await until(ada, lambda all: (all[0]["error"] or {}).get("code") == "page_without_links")
    refused = await ada.post("/api/links/crawl", json={"downloadIds": [page["id"] + 1]})
    assert refused.status_code == 404


async def test_page_that_cannot_be_read_does_not_stop_the_others(
    ada: Client, pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(url: str, text: str) -> Document:
        if "odd" in url:
            raise RuntimeError
        return read_html(url, text)

    monkeypatch.setattr(documents, "read_html", broken)
    await add(ada, pages.put("/odd", "<title>Odd</title>"))
    await add(ada, pages.put("/next", '<title>Next</title><a href="https://files.invalid/a.zip">'))
    found = await until(ada, lambda all: all[0]["online"] == all[1]["online"] == "offline")
    ids = [each["id"] for each in found]
    await act(ada, "/api/links/crawl", json={"downloadIds": ids, "depth": 1})
    await until(ada, lambda all: any(each["name"] == "a.zip" for each in all))
    await until(ada, lambda all: (all[0]["error"] or {}).get("code") == "internal")


async def test_odd_documents_can_be_read(pages: Pages) -> None:
    start = pages.put("/odd", '<a href="a.zip">', "text/html; charset=zip")
    assert await paths(start, 1) == ["/a.zip"]
    assert read_html("http://h.example/", '<![x[ a ]><a href="b.zip">').links[0].name is None
    assert read_xml("http://h.example/", b"<list>" + b'<a b=""/>' * 800_000 + b"</list>") == FILE


async def test_file_at_an_address_of_a_folder_is_downloaded(ada: Client, pages: Pages) -> None:
    await add(ada, pages.put("/latest/", b"x" * 30, "application/octet-stream"))
    [shown] = await until(ada, lambda all: all[0]["online"] == "online")
    assert shown["size"] == 30
    await add(ada, f"{pages.base}/latest/", start=True)
    await until(ada, lambda all: all[0]["status"] == "finished")


async def test_cookies_are_sent_to_the_host_of_the_page_only(pages: Pages) -> None:
    other = Pages()
    async with imitation({"GET /{path:.*}": other.answer}) as other.base:
        nested = other.put("/list.m3u", "a.mp3", "audio/x-mpegurl")
        start = pages.put("/", f'<title>Index of /</title><a href="sub/">s</a><a href="{nested}">')
        pages.put("/sub/", '<title>Index of /sub/</title><a href="x.m3u">x</a>')
        pages.put("/sub/x.m3u", nested, "audio/x-mpegurl")
        await crawled(start, own=RequestHeaders(cookies={"s": "1"}))
        assert set(pages.headers) == {"s=1"}
        assert other.headers == [""]


async def test_private_addresses_are_not_searched(ada: Client, pages: Pages) -> None:
    start = pages.put("/", "<title>Index of /</title>")
    async with OutboundClient(allow_private=False, retries=0) as outbound:
        with pytest.raises(AppError, match="address_forbidden"):
            await PageCrawl(outbound, start, 1, NO_HEADERS, CrawlLimits(), ALLOWED).run()
    assert pages.asked == []


def test_hostile_page_is_read_in_time() -> None:
    hostile = "<a href='" * 50_000 + "<title>" * 1000 + "<a href='http://[::1'>"
    assert read_html("http://host.invalid/", hostile).kind == "page"
