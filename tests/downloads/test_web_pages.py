"""Web pages, directory indexes, buckets, sitemaps and playlists become their links."""

import gzip
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from quartet.downloads.request_headers import RequestHeaders
from quartet.downloads.transfer.redirects import RedirectPolicy
from quartet.downloads.webpages.crawl import PageCrawl
from quartet.downloads.webpages.ftp_folder import FtpFolders
from quartet.downloads.webpages.html_page import read_html
from quartet.downloads.webpages.types import CrawlLimits, PageLinks
from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient
from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, packages, until, until_all
from tests.downloads.imitations.media import PIECES, MediaSite
from tests.downloads.plugins import imitation
from tests.downloads.transfer.other_servers import Ftp, http_proxy
from tests.downloads.transfer.other_servers import ftp as ftp_server
from tests.real_servers import accepts, free_port, running

pytestmark = pytest.mark.anyio

_NGINX = """
daemon off; master_process off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off; default_type application/octet-stream;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{
    listen 127.0.0.1:{port};
    location /html/ {{ alias {folder}/files/; autoindex on; }}
    location /json/ {{ alias {folder}/files/; autoindex on; autoindex_format json; }}
    location /xml/ {{ alias {folder}/files/; autoindex on; autoindex_format xml; }}
  }}
}}
"""

NO_HEADERS = RequestHeaders()
ALLOWED = FtpFolders(RedirectPolicy(True))
# As Apache 2.4 with FancyIndexing and lighttpd 1.4 write them.
APACHE = """<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">
<html><head><title>Index of /pub</title></head><body><h1>Index of /pub</h1>
<pre><img src="/icons/blank.gif" alt="Icon "> <a href="?C=N;O=D">Name</a>
<a href="?C=M;O=A">Last modified</a> <a href="?C=S;O=A">Size</a><hr>
<img src="/icons/back.gif" alt="[PARENTDIR]"> <a href="/">Parent Directory</a>   -
<img src="/icons/compressed.gif" alt="[   ]"> <a href="a%20b.zip">a b.zip</a> 2026-01-01 10:00 1.2M
<img src="/icons/folder.gif" alt="[DIR]"> <a href="old/">old/</a> 2026-01-01 10:00 -
<hr></pre><address>Apache/2.4 Server at 127.0.0.1 Port 80</address></body></html>"""
LIGHTTPD = """<!DOCTYPE html><html><head><title>Index of /pub/old/</title></head>
<body><h2>Index of /pub/old/</h2><div class="list"><table summary="Directory Listing">
<thead><tr><th class="n">Name</th></tr></thead><tbody>
<tr class="d"><td class="n"><a href="../">..</a>/</td><td class="m">&nbsp;</td></tr>
<tr><td class="n"><a href="c.iso">c.iso</a></td><td class="s">9.9M</td></tr>
</tbody></table></div><div class="foot">lighttpd/1.4.76</div></body></html>"""

# As Caddy 2 writes it.
CADDY = """<!DOCTYPE html><html><head><title>pub</title></head><body onload="initPage()">
<header><h1><a href="../">/</a><a href="">pub</a>/</h1></header><main><table><thead><tr>
<th><a href="?sort=namedirfirst&order=desc">^</a><a href="?sort=name&order=asc">Name</a></th>
<th><a href="?sort=size&order=asc">Size</a></th></tr></thead><tbody>
<tr><td><a href=".."><span class="goup">Go up</span></a></td></tr>
<tr class="file"><td><a href="./sub/"><span class="name">sub/</span></a></td></tr>
<tr class="file"><td><a href="./a%20b.zip"><span class="name">a b.zip</span></a></td>
<td data-order="3">3 B</td></tr></tbody></table></main>
<footer>Served with <a href="https://caddyserver.com">Caddy</a></footer></body></html>"""
# As IIS 10 writes them.
IIS = """<html><head><title>127.0.0.1 - /my files/</title></head><body>
<H1>127.0.0.1 - /my files/</H1><hr><pre><A HREF="/">[To Parent Directory]</A><br><br>
 1/1/2026 10:00 AM  &lt;dir&gt; <A HREF="/my%20files/old/">old</A><br>
 1/1/2026 10:00 AM  1258291 <A HREF="/my%20files/a%20b.zip">a b.zip</A><br></pre></body></html>"""
IIS_EMPTY = """<html><head><title>127.0.0.1 - /my files/old/</title></head><body>
<H1>127.0.0.1 - /my files/old/</H1><hr>
<pre><A HREF="/my%20files/">[To Parent Directory]</A><br><br></pre></body></html>"""


@pytest.fixture
def index(tmp_path: Path) -> Iterator[str]:
    """A real nginx with directory indexes."""
    folder = tmp_path / "nginx"
    (folder / "files" / "sub" / "deep").mkdir(parents=True)
    (folder / "files" / "größe & co.bin").write_bytes(b"x" * 100)
    (folder / "files" / "sub" / "one.bin").write_bytes(b"1")
    (folder / "files" / "sub" / "deep" / "one.bin").write_bytes(b"22")
    port = free_port()
    (folder / "nginx.conf").write_text(_NGINX.format(folder=folder, port=port))
    command = ["/usr/sbin/nginx", "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"]
    with running(command, lambda: accepts(port)):
        yield f"http://127.0.0.1:{port}"


class Pages:
    """A web server with a text for each address."""

    def __init__(self) -> None:
        self.texts: dict[str, tuple[str, bytes]] = {}
        self.asked: list[str] = []
        self.headers: list[str] = []
        self.base = ""

    def put(self, address: str, text: str | bytes, kind: str = "text/html") -> str:
        body = text if isinstance(text, bytes) else text.encode()
        self.texts[address] = kind, body
        return self.base + address

    async def answer(self, request: web.Request) -> web.Response:
        query = "&".join(f"{name}={value}" for name, value in request.query.items())
        address = f"{request.path}?{query}" if query else request.path
        self.asked.append(address)
        self.headers.append(request.headers.get("Cookie", ""))
        kind, body = self.texts.get(address, ("", b""))
        if not kind:
            return web.Response(status=404)
        return web.Response(body=body, headers={"Content-Type": kind})


@pytest.fixture
async def pages() -> AsyncIterator[Pages]:
    served = Pages()
    async with imitation({"GET /{path:.*}": served.answer}) as served.base:
        yield served


async def crawled(
    url: str,
    depth: int = 0,
    *,
    own: RequestHeaders = NO_HEADERS,
    ftp: FtpFolders = ALLOWED,
    **limits: Any,
) -> PageLinks:
    async with OutboundClient(allow_private=True, retries=0) as outbound:
        return await PageCrawl(outbound, url, depth, own, CrawlLimits(**limits), ftp).run()


async def paths(url: str, depth: int = 0, **options: Any) -> list[str]:
    found = await crawled(url, depth, **options)
    return [each.url.removeprefix(url.rpartition("/")[0]) for each in found.links]


@pytest.mark.parametrize("kind", ["html", "json", "xml"])
async def test_index_of_nginx_becomes_its_files(ada: Client, index: str, kind: str) -> None:
    await add(ada, f"{index}/{kind}/")
    await until(ada, lambda all: [each["online"] for each in all] == ["online"] * 3)
    found = {
        (each["targetDir"].partition("/")[2], one["name"]): one["size"]
        for each in await packages(ada, "collector")
        for one in each["downloads"]
    }
    # Files of the same name in other folders keep their folders.
    assert found == {
        ("", "größe & co.bin"): 100,
        ("sub", "one.bin"): 1,
        ("sub/deep", "one.bin"): 2,
    }


async def test_index_is_downloaded_with_its_folders(
    ada: Client, index: str, tmp_path: Path
) -> None:
    await add(ada, f"{index}/html/", start=True, packageName="Set")
    await until_all(ada, "finished")
    done = tmp_path / "done" / "Set"
    assert (done / "sub" / "deep" / "one.bin").read_bytes() == b"22"
    assert (done / "größe & co.bin").stat().st_size == 100


async def test_indexes_of_apache_and_lighttpd(pages: Pages) -> None:
    start = pages.put("/pub/", APACHE)
    pages.put("/pub/old/", LIGHTTPD)
    found = await crawled(start)
    assert [(each.name, each.folder) for each in found.links] == [("a b.zip", ""), ("c.iso", "old")]
    # Neither the parent nor the links that sort the list are followed.
    assert pages.asked == ["/pub/", "/pub/old/"]


async def test_index_of_caddy(pages: Pages) -> None:
    start = pages.put("/pub/", CADDY)
    pages.put("/pub/sub/", CADDY.replace("./a%20b.zip", "./c.iso").replace("./sub/", "./"))
    found = await crawled(start)
    assert [(each.name, each.folder) for each in found.links] == [("a b.zip", ""), ("c.iso", "sub")]
    assert pages.asked == ["/pub/", "/pub/sub/"]


async def test_index_of_iis(pages: Pages) -> None:
    start = pages.put("/my%20files/", IIS)
    pages.put("/my files/", IIS)
    pages.put("/my files/old/", IIS_EMPTY)
    found = await crawled(start)
    assert [(each.name, each.folder) for each in found.links] == [("a b.zip", "")]
    assert pages.asked == ["/my files/", "/my files/old/"]


MACHINE_LISTS = {
    "/pub/": "type=cdir; .\ntype=pdir; ..\nmodify=20260101;size=4;type=file; a b;c.bin\n"
    "Type=dir;modify=20260101; sub\ntype=OS.unix=slink:/etc; link\n",
    "/pub/sub/": "type=file;size=2; größe.bin\n",
}
UNIX_LISTS = {
    "/pub/": "total 8\n-rw-r--r--   1 ftp  ftp      4 Jan  1 10:00 a b;c.bin\n"
    "drwxr-xr-x   2 ftp  ftp   4096 Jan  1  2025 sub\n"
    "lrwxrwxrwx 1 ftp ftp 4 Jan 1 2025 link -> /etc\n",
    "/pub/sub/": "-rw-r--r-- 1 ftp 2 2026-01-01 10:00 größe.bin\n",
}
WINDOWS_LISTS = {
    "/pub/": "01-01-26  10:00AM                    4 a b;c.bin\n"
    "01-01-2026  10:00AM       <DIR>          sub\n",
    "/pub/sub/": "01-01-26  10:00AM  2 größe.bin\n",
}


@pytest.mark.parametrize(
    ("machine", "plain"), [(MACHINE_LISTS, {}), (None, UNIX_LISTS), (None, WINDOWS_LISTS)]
)
async def test_folder_of_ftp_server_becomes_its_files(
    ada: Client, machine: dict[str, str] | None, plain: dict[str, str], tmp_path: Path
) -> None:
    files = {"a b;c.bin": b"1234", "größe.bin": b"12"}
    with ftp_server(Ftp(files, machine_lists=machine, lists=plain)) as server:
        await add(ada, server.url("pub/"), start=True)
        await until_all(ada, "finished")
    [done] = (tmp_path / "done").iterdir()
    assert (done / "a b;c.bin").read_bytes() == b"1234"
    assert (done / "sub" / "größe.bin").read_bytes() == b"12"


async def test_folder_of_ftp_server_that_is_missing(ada: Client) -> None:
    with ftp_server(Ftp({}, machine_lists=MACHINE_LISTS)) as server:
        await add(ada, server.url("nothing/"))
        [shown] = await until(ada, lambda all: all[0]["online"] == "offline")
        assert shown["error"]["code"] == "file_offline"


async def test_folder_of_ftp_server_in_private_network_is_not_read() -> None:
    """Neither by its address nor by a name that leads to it."""
    ftp = FtpFolders(RedirectPolicy(False))
    with ftp_server(Ftp({}, machine_lists=MACHINE_LISTS)) as server:
        for host in ("127.0.0.1", "localhost"):
            with pytest.raises(AppError, match="address_forbidden"):
                await crawled(f"ftp://{host}:{server.port}/pub/", ftp=ftp)
        assert server.commands == []


async def test_folder_of_ftp_server_is_read_through_the_proxy() -> None:
    with ftp_server(Ftp({}, machine_lists=MACHINE_LISTS)) as server, http_proxy() as proxy:
        ftp = FtpFolders(RedirectPolicy(True), proxy=f"http://127.0.0.1:{proxy.port}")
        found = await crawled(server.url("pub/"), ftp=ftp)
    assert [each.name for each in found.links] == ["a b;c.bin", "größe.bin"]
    assert proxy.asked[0] == f"CONNECT 127.0.0.1:{server.port}"


def bucket(keys: list[str], *, more: str = "", truncated: bool = False) -> str:
    entries = "".join(f"<Contents><Key>{key}</Key><Size>5</Size></Contents>" for key in keys)
    return (
        '<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        f"<Name>box</Name><Prefix></Prefix>{more}"
        f"<IsTruncated>{'true' if truncated else 'false'}</IsTruncated>{entries}</ListBucketResult>"
    )


async def test_bucket_is_listed_to_its_end(pages: Pages) -> None:
    """Both versions of the listing continue: with a token, or after the last object."""
    xml = "application/xml"
    token = "<NextContinuationToken>a/b+c=</NextContinuationToken>"
    start = pages.put(
        "/?list-type=2", bucket(["a.bin", "x/", "x/b c.bin"], more=token, truncated=True), xml
    )
    pages.put("/?list-type=2&continuation-token=a/b+c=", bucket(["z.bin"]), xml)
    found = await crawled(start)
    assert [(each.url, each.size, each.folder) for each in found.links] == [
        (f"{pages.base}/a.bin", 5, ""),
        (f"{pages.base}/x/b%20c.bin", 5, "x"),
        (f"{pages.base}/z.bin", 5, ""),
    ]
    old = pages.put("/box/", bucket(["1", "2"], truncated=True), xml)
    pages.put("/box/?marker=2", bucket(["3"]), xml)
    assert await paths(old) == ["/1", "/2", "/3"]


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
