"""Malicious Click'n'Load requests, and decryption in general."""

import asyncio
import resource
import subprocess
import sys
import time
from base64 import b64encode
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.downloads.clicknload import key_process
from quartet.downloads.clicknload.decryption import decrypted
from quartet.downloads.clicknload.keys import Keys, plain_key
from quartet.kernel.errors import AppError
from tests.downloads.clicknload import KEY, LINKS, collected, encrypted, jk, listening

pytestmark = pytest.mark.anyio

KEY_LITERAL = f"function f(){{return'{'0' * 32}'"
BAD_SCRIPTS = {
    "endless": "function f(){ for(;;); }",
    "endless outside": "for(;;);",
    "huge string": "function f(){ return 'x'.repeat(2 ** 28); }",
    "huge list": "function f(){ let a = []; for(;;) a.push('x'.repeat(999) + a.length); }",
    "huge buffers": "function f(){ let a = []; for(;;) a.push(new Uint8Array(1e8).fill(1)); }",
    "recursion": "function f(){ return f(); }",
    "no f": "var g = 1;",
    "not hexadecimal": "function f(){ return 'zz'.repeat(16); }",
    "too short": "function f(){ return 'abcd'; }",
    "constant too short": "function f(){ return '00'; }",
    "throws": "function f(){ throw 1; }",
    "no script": "<html>",
    "reaches out": "function f(){ return require('fs').readFileSync('/etc/passwd'); }",
    "much code": "//" + "x" * 100_000,
}


@pytest.mark.parametrize("start", ["function f(){return", KEY_LITERAL, f"{KEY_LITERAL}\n)\n;"])
def test_white_space_of_a_page_does_not_stop_the_service(start: str) -> None:
    """A script of this size took days, during which nothing else was answered."""
    began = time.thread_time()
    assert plain_key(f"{start}{' ' * 60_000}x") is None
    assert time.thread_time() - began < 2


@pytest.mark.parametrize("name", BAD_SCRIPTS)
async def test_bad_script_is_rejected_within_seconds(name: str) -> None:
    # Two seconds for the script, plus the start of the process on a busy machine.
    async with asyncio.timeout(60):
        with pytest.raises(AppError, match="cnl_key_invalid"):
            await Keys().key(BAD_SCRIPTS[name])


# The measured memory includes that of the parent, so a small parent is used.
MEASURE = """
import resource, subprocess, sys
subprocess.run([sys.executable, "-I", sys.argv[1]], stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""


@pytest.mark.parametrize("name", ["huge string", "huge list", "huge buffers"])
def test_bad_script_uses_little_memory(name: str) -> None:
    command = [sys.executable, "-I", "-c", MEASURE, key_process.__file__]
    done = subprocess.run(command, input=BAD_SCRIPTS[name], capture_output=True, text=True)
    used = int(done.stderr.split()[-1])
    assert used < 320 * 1024, f"{used} KiB"


async def test_bad_forms_are_rejected_and_add_nothing(tmp_path: Path) -> None:
    good = {"crypted": encrypted(LINKS), "jk": jk()}
    async with listening(tmp_path) as (ada, page):
        for form, code in (
            ({**good, "crypted": "%%%"}, "cnl_not_base64"),
            ({**good, "crypted": "abc"}, "cnl_not_base64"),
            ({**good, "crypted": b64encode(b"odd").decode()}, "no_links"),
            ({**good, "crypted": ""}, "no_links"),
            ({**good, "jk": ""}, "no_links"),
            ({**good, "jk": "function f(){ return '00'; }"}, "cnl_key_invalid"),
            ({**good, "jk": jk(bytes(16))}, "no_links"),
            ({}, "no_links"),
        ):
            answer = await page.post("/flash/addcrypted2", data=form)
            assert (answer.status_code, answer.text) == (400, f"failed: {code}\r\n")
        assert (await page.post("/flash/add", content=b"\xff\xfe")).status_code == 400
        assert await collected(ada) == []


async def test_form_of_100_mb_is_not_read(tmp_path: Path) -> None:
    async with listening(tmp_path) as (ada, page):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        async def body() -> object:
            yield b"urls="
            for _ in range(1600):
                yield b"x" * 65536

        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        try:
            answer = await page.post("/flash/add", content=body(), headers=kind)  # type: ignore[arg-type]
            assert answer.status_code == 413
        except (OSError, httpx.TransportError):
            pass  # the server closed the connection early
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60 * 1024
        assert await collected(ada) == []


@given(st.text(), st.binary(min_size=16, max_size=16))
def test_encrypted_text_is_decrypted(text: str, key: bytes) -> None:
    plain = text.encode("utf-8", "ignore").decode().replace("\0", "")
    assert decrypted(encrypted(plain, key), key) == plain


@given(st.text())
def test_arbitrary_text_is_handled(text: str) -> None:
    plain_key(text)
    try:
        decrypted(text, KEY)
    except AppError as error:
        assert error.code == "cnl_not_base64"


@given(st.binary())
def test_arbitrary_bytes_are_handled(data: bytes) -> None:
    decrypted(b64encode(data).decode(), KEY)
