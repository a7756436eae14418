"""Directory indexes, FTP folders and buckets become their files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quartet.downloads.transfer.redirects import RedirectPolicy
from quartet.downloads.webpages.addresses import folder_name, may_be_list
from quartet.downloads.webpages.ftp_folder import FtpFolders
from quartet.kernel.errors import AppError
from tests.client import Client
from tests.downloads.api_calls import add, packages, until, until_all
from tests.downloads.transfer.other_servers import Ftp, http_proxy
from tests.downloads.transfer.other_servers import ftp as ftp_server
from tests.downloads.web_pages import Pages, crawled, paths
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


@pytest.mark.parametrize("kind", ["html", "json", "xml"])
async def test_index_of_nginx_becomes_its_files(ada: Client, index: str, kind: str) -> None:
    await add(ada, f"{index}/{kind}/")
    await until(ada, lambda all: [each["online"] for each in all] == ["online"] * 3)
    found = {
        (each["targetDir"], one["name"]): one["size"]
        for each in await packages(ada, "collector")
        for one in each["downloads"]
    }
    # Files of the same name in other folders keep their folders.
    assert found == {
        (kind, "größe & co.bin"): 100,
        (f"{kind}/sub", "one.bin"): 1,
        (f"{kind}/sub/deep", "one.bin"): 2,
    }


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://a.example/pub/my%20files/", "my files"),
        ("http://a.example/pub/index.html", "pub"),
        ("ftp://a.example:2121/", "a.example"),
        ("http://a.example", "a.example"),
    ],
)
def test_folder_name_is_last_part_of_path_or_host(url: str, name: str) -> None:
    assert folder_name(url) == name


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("http://s3.example/bucket?list-type=2&prefix=a", True),
        ("http://s3.example/bucket?prefix=a/&delimiter=/", True),
        ("http://a.example/file?prefix=a", False),
    ],
)
def test_listing_of_bucket_is_known_by_its_query(url: str, read: bool) -> None:
    assert may_be_list(url) is read


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
