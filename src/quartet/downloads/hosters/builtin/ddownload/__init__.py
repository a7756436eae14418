"""ddownload.com, also known as ddl.to. Its API provides no files, so the login is used."""

from quartet.downloads.hosters.builtin.xfilesharing import XFileSharing
from quartet.downloads.hosters.sdk import AccountForm, Text


class DDownload(XFileSharing):
    id = "ddownload"
    name = "DDownload"
    version = "1.0"
    domains = ["ddownload.com", "ddl.to"]
    matches = [r"https?://(?:www\.)?(?:ddownload\.com|ddl\.to)/(?P<id>[a-z0-9]{12})\b"]
    folders = [
        r"https?://(?:www\.)?(?:ddownload\.com|ddl\.to)/"
        r"(?P<folder>(?:folder|users/[\w.-]+)/\w+(?:/[\w.%-]+)*)/?$"
    ]
    account = AccountForm(
        user_label=Text(de="Benutzername", en="User name"),
        secret_label=Text(de="Passwort", en="Password"),
    )
    name_pattern = r'class="name[^"]{0,100}"[^>]{0,100}>\s{0,50}<h4>([^<]{1,1000})</h4>'
    size_pattern = r'class="file-size"[^>]{0,100}>([^<]{1,50})<'
    settings = {"base": "https://ddownload.com"}
