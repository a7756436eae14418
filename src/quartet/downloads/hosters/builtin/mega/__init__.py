"""mega.nz: all files are encrypted, and the key is part of the link."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, TypeVar

from quartet.downloads.hosters.builtin._folders import folder_of
from quartet.downloads.hosters.builtin._responses import converted, secret_of
from quartet.downloads.hosters.builtin.mega.api import (
    EXPIRED_SESSION,
    FileAnswer,
    FolderAnswer,
    LoginAnswer,
    MegaError,
    Node,
    QuotaAnswer,
    SaltAnswer,
    command,
    file_answer,
)
from quartet.downloads.hosters.builtin.mega.keys import (
    BadKey,
    FileKey,
    decrypted,
    file_key,
    name_in,
    node_key,
    old_password_keys,
    pack,
    password_keys,
    session,
    unpack,
)
from quartet.downloads.hosters.sdk import (
    AccountForm,
    AccountState,
    Checked,
    Context,
    Decrypt,
    File,
    FileLink,
    Folder,
    Hash,
    Hoster,
    Link,
    Offline,
    Text,
)

T = TypeVar("T")

COOKIE = "session"
_SITE = r"https?://(?:www\.)?mega(?:\.co)?\.nz/"


class Mega(Hoster):
    id = "mega"
    name = "MEGA"
    version = "1.0"
    domains = ["mega.nz", "mega.co.nz"]
    matches = [
        _SITE + r"folder/(?P<folder>[\w-]{8})#(?P<folder_key>[\w,-]{22})/file/(?P<node>[\w-]{8})"
        r"(?:/key/(?P<node_key>[\w-]{43}))?$",
        _SITE + r"#F!(?P<folder>[\w-]{8})!(?P<folder_key>[\w,-]{22})\?(?P<node>[\w-]{8})$",
        _SITE + r"file/(?P<file>[\w-]{8})(?:#(?P<key>[\w,-]*))?",
        _SITE + r"#!(?P<file>[\w-]{8})(?:!(?P<key>[\w,-]*))?",
    ]
    folders = [
        _SITE + r"folder/(?P<folder>[\w-]{8})(?:#(?P<folder_key>[\w,-]*))?"
        r"(?:/folder/(?P<inner>[\w-]{8}))?$",
        _SITE + r"#F!(?P<folder>[\w-]{8})(?:!(?P<folder_key>[\w,-]*))?"
        r"(?:!(?P<inner>[\w-]{8}))?$",
    ]
    account = AccountForm(
        user_label=Text(de="E-Mail", en="E-mail"),
        secret_label=Text(de="Passwort", en="Password"),
    )
    max_connections = 6
    settings = {"base": "https://g.api.mega.co.nz"}

    async def check(self, link: Link, ctx: Context) -> Checked:
        answer, key = await self._file(link, ctx, {})
        return Checked(True, _name(answer, key), answer.s, Hash("mega", key.checksum))

    async def resolve(self, link: Link, ctx: Context) -> File:
        answer, key = await self._file(link, ctx, {"g": 1, "ssl": 2})
        if not answer.g:
            raise Offline
        return File(
            answer.g,
            name=_name(answer, key),
            size=answer.s,
            hash=Hash("mega", key.checksum),
            decrypt=Decrypt(key.key, key.nonce),
        )

    async def crawl(self, link: Link, ctx: Context) -> Folder:
        try:
            shared = unpack(link.parts.get("folder_key", ""))
            nodes = await self._nodes(link.parts["folder"], ctx)
            top = _top(nodes, link.parts.get("inner"))
            name = name_in(top.a, node_key(top.k, shared)[:16])
        except MegaError as error:
            raise error.error() from None
        inside = _below(nodes, top.h)
        return folder_of(_links(link, inside, shared), name)

    async def check_account(self, ctx: Context) -> AccountState:
        async def ask(**session: str) -> QuotaAnswer:
            request = {"a": "uq", "xfer": 1, "pro": 1}
            return converted(
                await command(ctx, self.settings["base"], request, **session), QuotaAnswer
            )

        try:
            quota = await self._in_session(ctx, ask)
        except MegaError as error:
            raise error.error() from None
        left = max(0, quota.mxfer - quota.caxfer) if quota.mxfer else None
        premium = quota.utype > 0
        until = quota.suntil if premium else None
        return AccountState(valid=True, premium=premium, traffic_left=left, valid_until=until)

    async def _file(
        self, link: Link, ctx: Context, more: dict[str, Any]
    ) -> tuple[FileAnswer, FileKey]:
        parts = link.parts
        try:
            if "file" in parts:
                key = file_key(unpack(parts.get("key", "")))
                return await self._ask_file(ctx, {"p": parts["file"], **more}), key
            key = file_key(await self._key_of(link, ctx))
            request = {"n": parts["node"], **more}
            return await self._ask_file(ctx, request, n=parts["folder"]), key
        except MegaError as error:
            raise error.error() from None

    async def _ask_file(self, ctx: Context, request: dict[str, Any], **query: str) -> FileAnswer:
        """Ask for a file, using the account's traffic if there is an account."""

        async def ask(**session: str) -> FileAnswer:
            return await file_answer(ctx, self.settings["base"], request, **query, **session)

        return await self._in_session(ctx, ask) if ctx.account else await ask()

    async def _key_of(self, link: Link, ctx: Context) -> bytes:
        """Return the file's key from our own links; for other links, read the whole folder."""
        if "node_key" in link.parts:
            return unpack(link.parts["node_key"])
        shared = unpack(link.parts["folder_key"])
        for node in await self._nodes(link.parts["folder"], ctx):
            if node.h == link.parts["node"]:
                return node_key(node.k, shared)
        raise Offline

    async def _nodes(self, folder: str, ctx: Context) -> list[Node]:
        request = {"a": "f", "c": 1, "r": 1, "ca": 1}
        answer = await command(ctx, self.settings["base"], request, n=folder)
        return converted(answer, FolderAnswer).f

    async def _in_session(self, ctx: Context, ask: Callable[..., Awaitable[T]]) -> T:
        """Use the stored session, and log in again if it has expired."""
        try:
            return await ask(sid=await self._session(ctx))
        except MegaError as error:
            if error.number != EXPIRED_SESSION:
                raise
            return await ask(sid=await self._login(ctx))

    async def _session(self, ctx: Context) -> str:
        cookies = await ctx.http.cookies(self.settings["base"])
        return cookies.get(COOKIE) or await self._login(ctx)

    async def _login(self, ctx: Context) -> str:
        base, password = self.settings["base"], secret_of(ctx)
        email = ctx.account.user.strip().lower() if ctx.account else ""
        try:
            salt = converted(await command(ctx, base, {"a": "us0", "user": email}), SaltAnswer)
            if salt.v == 2:
                key, proof = password_keys(password, unpack(salt.s))
            else:
                key, proof = old_password_keys(password, email)
            request = {"a": "us", "user": email, "uh": proof}
            answer = converted(await command(ctx, base, request), LoginAnswer)
            master = decrypted(unpack(answer.k), key)
            known = session(answer.csid, answer.privk, master)
        except MegaError as error:
            # Report an unknown user like a wrong password.
            raise (MegaError(-13) if error.number in (-9, -2) else error).error() from None
        except (BadKey, ValueError):
            raise MegaError(-13).error() from None
        await ctx.http.set_cookie(base, COOKIE, known)
        return known


def _name(answer: FileAnswer, key: FileKey) -> str:
    return name_in(answer.at, key.key)


def _top(nodes: list[Node], inner: str | None) -> Node:
    """Return the shared folder, or the subfolder that the link names."""
    handles = {node.h for node in nodes}
    for node in nodes:
        if node.t == 1 and (node.h == inner if inner else node.p not in handles):
            return node
    raise Offline


def _below(nodes: Iterable[Node], top: str) -> Iterator[Node]:
    """Yield the files in this folder and its subfolders, visiting each folder once."""
    children: dict[str, list[Node]] = {}
    for node in nodes:
        children.setdefault(node.p, []).append(node)
    waiting = [top]
    while waiting:
        for node in children.pop(waiting.pop(0), []):
            if node.t == 0:
                yield node
            elif node.t == 1:
                waiting.append(node.h)


def _links(link: Link, nodes: Iterable[Node], shared: bytes) -> Iterator[FileLink]:
    start = f"https://mega.nz/folder/{link.parts['folder']}#{link.parts['folder_key']}/file/"
    for node in nodes:
        try:
            raw = node_key(node.k, shared)
            key = file_key(raw)
            name = name_in(node.a, key.key)
        except BadKey:
            continue  # this entry is damaged; the others can still be fetched
        url = f"{start}{node.h}/key/{pack(raw)}"
        yield FileLink(url, name, node.s, Hash("mega", key.checksum))
