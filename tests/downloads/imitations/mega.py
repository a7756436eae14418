"""An imitation of MEGA's server."""

import base64
import hashlib
import json
from functools import cache
from typing import Any

from aiohttp import web
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES

from quartet.downloads.hosters.sdk import Account
from tests.downloads.imitations.site import DATA, Site
from tests.downloads.plugins import Handler

KEY, NONCE = bytes(range(16)), bytes(range(100, 108))
FOLDER_KEY = bytes(range(50, 66))
MASTER, SALT = bytes(range(30, 46)), b"some salt of it!"
# Two well-known primes.
P, Q = 2**521 - 1, 2**607 - 1
SESSION = b"a session of forty-three bytes, no more or."


def packed(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def locked(data: bytes, key: bytes) -> bytes:
    return Cipher(AES(key), modes.ECB()).encryptor().update(data)


@cache
def mac_of(data: bytes) -> bytes:
    """Compute the MAC block by block, as documented."""
    block, whole, place, size = Cipher(AES(KEY), modes.ECB()), bytes(16), 0, 0
    while place < len(data):
        size = min(size + 128 * 1024, 1024 * 1024)
        chunk, mac = data[place : place + size], NONCE + NONCE
        for start in range(0, len(chunk), 16):
            piece = chunk[start : start + 16].ljust(16, b"\0")
            mac = block.encryptor().update(bytes(a ^ b for a, b in zip(mac, piece, strict=True)))
        whole = block.encryptor().update(bytes(a ^ b for a, b in zip(whole, mac, strict=True)))
        place += size
    return bytes(whole[i] ^ whole[i + 4] for i in (0, 1, 2, 3, 8, 9, 10, 11))


def file_key(data: bytes = DATA) -> bytes:
    rest = NONCE + mac_of(data)
    return bytes(a ^ b for a, b in zip(KEY, rest, strict=True)) + rest


def encrypted(data: bytes = DATA) -> bytes:
    return Cipher(AES(KEY), modes.CTR(NONCE + bytes(8))).encryptor().update(data)


def attributes(name: str, key: bytes) -> str:
    text = b"MEGA" + json.dumps({"n": name}).encode()
    text += bytes(-len(text) % 16)
    return packed(Cipher(AES(key), modes.CBC(bytes(16))).encryptor().update(text))


def number(value: int) -> bytes:
    bits = value.bit_length()
    return bits.to_bytes(2, "big") + value.to_bytes((bits + 7) // 8, "big")


class MegaSite(Site):
    plugin = "mega"
    file_link = f"https://mega.nz/file/AbCdEf12#{packed(file_key())}"
    folder_link = f"https://mega.nz/folder/FoLdEr12#{packed(FOLDER_KEY)}"
    account = Account(1, "Ada@example.invalid", "pass word")
    version = 2
    # Fixed answers by command.
    answers: dict[str, object]
    damaged = 0
    over_quota = 0
    served: list[str]

    def __init__(self) -> None:
        self.answers, self.served = {}, []
        self.expired: set[str] = set()
        self.logins = 0
        self.data = DATA

    def routes(self) -> dict[str, Handler]:
        return {"POST /cs": self.command, "GET /dl/{id}": self.download}

    async def command(self, request: web.Request) -> web.Response:
        (asked,) = await request.json()
        answer = self.answers.get(asked["a"]) or self.answer(asked, request)
        if isinstance(answer, web.Response):
            return answer
        return web.json_response(answer if isinstance(answer, int) else [answer])

    def answer(self, asked: dict[str, Any], request: web.Request) -> object:
        sid = request.query.get("sid")
        if sid in self.expired or sid not in (None, packed(SESSION)):
            return -15
        match asked["a"]:
            case "g":
                return self.told_file(asked, request)
            case "f":
                return {"f": self.nodes()} if request.query["n"] == "FoLdEr12" else -9
            case "us0":
                return {"v": self.version, "s": packed(SALT)}
            case "us":
                return self.login(asked)
            case "uq":
                return {"utype": 4, "suntil": 2**32, "mxfer": 1000, "caxfer": 400}
        return -2

    def told_file(self, asked: dict[str, Any], request: web.Request) -> object:
        known = (None, "AbCdEf12") if "p" in asked else ("FoLdEr12", "file0001")
        if (request.query.get("n"), asked.get("p") or asked.get("n")) != known:
            return -9
        self.served.append(request.query.get("sid", "guest"))
        payload = {"s": len(self.data), "at": attributes("Ferien ü.bin", KEY)}
        return {**payload, "g": f"{self.base}/dl/x"} if asked.get("g") else payload

    def nodes(self) -> list[dict[str, Any]]:
        """Return the shared folder, a subfolder, two valid files and a broken one."""

        def folder(handle: str, parent: str, name: str) -> dict[str, Any]:
            key = bytes(16)
            shut = f"FoLdEr12:{packed(locked(key, FOLDER_KEY))}"
            return {"h": handle, "p": parent, "t": 1, "a": attributes(name, key), "k": shut}

        def file(handle: str, parent: str) -> dict[str, Any]:
            shut = f"FoLdEr12:{packed(locked(file_key(), FOLDER_KEY))}"
            name = attributes(f"{handle}.bin", KEY)
            return {"h": handle, "p": parent, "t": 0, "a": name, "k": shut, "s": len(DATA)}

        return [
            folder("root0001", "elsewhere", "Holiday"),
            file("file0001", "root0001"),
            {**file("broken01", "root0001"), "k": "FoLdEr12:AAAA"},
            folder("inner001", "root0001", "Inner"),
            file("file0002", "inner001"),
        ]

    def login(self, asked: dict[str, Any]) -> object:
        key, proof = self.password_keys()
        if asked != {"a": "us", "user": "ada@example.invalid", "uh": packed(proof)}:
            return -9
        self.logins += 1
        exponent = pow(65537, -1, (P - 1) * (Q - 1))
        private = b"".join(map(number, (P, Q, exponent, pow(P, -1, Q))))
        private += bytes(-len(private) % 16)
        message = int.from_bytes(SESSION + bytes(90), "big")
        return {
            "k": packed(locked(MASTER, key)),
            "privk": packed(locked(private, MASTER)),
            "csid": packed(number(pow(message, 65537, P * Q))),
        }

    def password_keys(self) -> tuple[bytes, bytes]:
        if self.version == 2:
            both = hashlib.pbkdf2_hmac("sha512", b"pass word", SALT, 100_000, 32)
            return both[:16], both[16:]
        key = bytes.fromhex("93C467E37DB0C7A4D1BE3F810152CB56")
        turn = Cipher(AES(b"pass word".ljust(16, b"\0")), modes.ECB()).encryptor()
        for _ in range(65536):
            key = turn.update(key)
        mail = b"ada@example.invalid".ljust(32, b"\0")
        proof = bytes(a ^ b for a, b in zip(mail[:16], mail[16:], strict=True))
        turn = Cipher(AES(key), modes.ECB()).encryptor()
        for _ in range(16384):
            proof = turn.update(proof)
        return key, proof[:4] + proof[8:12]

    async def download(self, request: web.Request) -> web.Response:
        if self.over_quota:
            self.over_quota -= 1
            return web.Response(status=509, headers={"X-MEGA-Time-Left": "3000"})
        body = bytearray(encrypted(self.data))
        if self.damaged:
            self.damaged -= 1
            body[1000] ^= 1
        return web.Response(body=bytes(body), content_type="application/octet-stream")
