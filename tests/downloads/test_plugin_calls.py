"""Plugin code cannot harm the server."""

import asyncio
import os
from pathlib import Path

import pytest
from aiohttp import web

from quartet.downloads.hosters.errors import (
    Fatal,
    HosterLimit,
    Offline,
    PluginError,
    Temporary,
)
from quartet.downloads.hosters.plugin_types import Account, File
from tests.downloads.plugins import LINK, Bench, bench, imitation, plugin_text, threads_end

pytestmark = pytest.mark.anyio


async def resolved(on: Bench, body: str, base: str = "", account: Account | None = None) -> File:
    text = plugin_text("async def resolve(self, link, ctx):\n" + indented(body))
    plugin = await on.plugin(text, base=base)
    return (await on.calls.resolve(plugin, plugin.link(LINK), account, None)).value


def indented(body: str) -> str:
    return "\n".join(f"    {line}" for line in body.strip().splitlines())


async def refusal(
    on: Bench, body: str, base: str = "", account: Account | None = None
) -> PluginError:
    with pytest.raises(PluginError) as caught:
        await resolved(on, body, base, account)
    return caught.value


async def test_result_and_parts_of_link(tmp_path: Path) -> None:
    async with bench(tmp_path) as on:
        file = await resolved(on, "return File('http://x/' + link.parts['id'], size=5)")
    assert file == File("http://x/one", size=5)


WRONG = [
    "return None",
    "return 'http://x'",
    "return File(5)",
    "return File('')",
    "return File('http://x', size=-1)",
    "return File('http://x', headers={'a': 1})",
    "return File('http://x', hash=Hash('whirlpool', 'x'))",
    "return File('x' * 9000)",
    "return Checked(True)",
    "return File('http://x', name='\\udc80')",
    "return File('http://x', size=2**80)",
]


async def test_result_of_wrong_type_is_final(tmp_path: Path) -> None:
    async with bench(tmp_path) as on:
        for body in WRONG:
            error = await refusal(on, body)
            assert isinstance(error, Fatal) and error.problem, body
            assert error.problem.code == "plugin_broken"


RAISED = [
    "raise ValueError('x')",
    "raise SystemExit(3)",
    "raise KeyboardInterrupt",
    "raise GeneratorExit",
    "raise StopIteration",
    "raise BaseException('x')",
    "raise asyncio.CancelledError",
    "1 / 0",
    "return await self.resolve(link, ctx)",
    "class E(Exception):\n    def __str__(self): raise ValueError\nraise E",
]


async def test_any_exception_becomes_plugin_error(tmp_path: Path) -> None:
    async with bench(tmp_path) as on:
        for body in RAISED:
            error = await refusal(on, body)
            assert isinstance(error, Temporary) and error.problem, body
            assert error.problem.code == "plugin_broken"
            assert error.problem.inputs["plugin"] == "Demo"


ENDLESS = [
    "time.sleep(3)",
    "while True: pass",
    "while True: await asyncio.sleep(0)",
    "await asyncio.sleep(1000)",
    "end = time.monotonic() + 3\n"
    "while time.monotonic() < end:\n    try: await asyncio.sleep(3)\n"
    "    except BaseException: pass",
]


@pytest.mark.parametrize("body", ENDLESS)
async def test_endless_call_is_abandoned(tmp_path: Path, body: str) -> None:
    async with threads_end(), bench(tmp_path, seconds=0.5) as on:
        call = asyncio.create_task(refusal(on, body))
        turns = 0
        while not call.done():
            await asyncio.sleep(0.01)
            turns += 1
        error = await call
    assert isinstance(error, Temporary) and error.problem
    assert error.problem.code == "plugin_timeout"
    assert turns > 5


async def test_hanging_plugin_gets_no_more_calls(tmp_path: Path) -> None:
    # A thread cannot be interrupted while it opens a pipe that has no writer.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    hanging = f"open({str(pipe)!r}).close()"
    async with bench(tmp_path, seconds=1, most_stuck=2) as on:
        for _ in range(2):
            await refusal(on, hanging)
        async with asyncio.timeout(60):
            while on.workers.stuck("demo") < 2:
                await asyncio.sleep(0.01)
        error = await refusal(on, hanging)
        assert error.problem and error.problem.code == "plugin_stuck"
        # After its threads have ended, it is called again.
        pipe.open("w").close()
        on.calls._seconds = 60
        async with asyncio.timeout(60):
            while on.workers.stuck("demo"):
                await asyncio.sleep(0.05)
        assert (await resolved(on, "return File('http://x')")).url == "http://x"


async def test_cancellation_reaches_the_plugin(tmp_path: Path) -> None:
    flag = tmp_path / "ended"
    body = f"""
try:
    open({str(flag)!r} + "-begun", "w").close()
    await ctx.wait(500)
finally:
    open({str(flag)!r}, "w").close()
"""
    async with bench(tmp_path) as on:
        call = asyncio.create_task(resolved(on, body))
        async with asyncio.timeout(60):
            while not Path(f"{flag}-begun").exists():
                await asyncio.sleep(0.01)
            call.cancel()
            while not flag.exists():
                await asyncio.sleep(0.01)


async def test_errors_with_texts_codes_and_waiting_times(tmp_path: Path) -> None:
    async with bench(tmp_path) as on:
        limit = await refusal(on, "raise HosterLimit(Text(de='Warten', en='Wait'), seconds=90)")
        assert isinstance(limit, HosterLimit) and limit.problem
        assert limit.seconds == 90
        assert limit.problem.code == "plugin_says"
        assert limit.problem.inputs == {"plugin": "Demo", "de": "Warten", "en": "Wait"}
        odd = await refusal(on, "raise Fatal(Text(de=5, en='\\udc80'))")
        assert odd.problem and odd.problem.inputs == {"plugin": "Demo", "de": "5", "en": "?"}
        odd = await refusal(on, "raise Fatal(Problem('x', {'a': object, 'b': '\\udc80'}))")
        assert odd.problem and odd.problem.inputs["b"] == "?"
        gone = await refusal(on, "raise Offline")
        assert isinstance(gone, Offline) and gone.problem
        assert gone.problem.code == "file_offline"
        # Waiting times from pages are limited to one day.
        for wait, kept in (("1e12", 86_400), ("-5", 0), ("float('nan')", None), ("'x'", None)):
            assert (await refusal(on, f"raise Temporary(seconds={wait})")).seconds == kept
        assert (await refusal(on, "raise HosterLimit")).seconds == 3600


async def test_waiting_does_not_count_and_long_waits_are_queued(tmp_path: Path) -> None:
    async with bench(tmp_path, seconds=3) as on:
        waited = await resolved(on, "await ctx.wait(3.3)\nreturn File('http://x')")
        assert waited.url == "http://x"
        late = await refusal(on, "await ctx.wait(601)")
        assert isinstance(late, Temporary) and late.seconds == 601


class Slow:
    """A user who answers slowly."""

    async def captcha(self, kind: str, **_more: object) -> str:
        await asyncio.sleep(3.3)
        return f"solved {kind}"

    async def captcha_refused(self, about: object) -> None:
        pass

    async def password(self, link: str, *, wrong: bool, about: object) -> str:
        return f"{link} {wrong}"


async def test_questions_do_not_count_as_call_time(tmp_path: Path) -> None:
    async with bench(tmp_path, seconds=3, ask=Slow()) as on:
        body = "return File('http://x', name=await ctx.captcha('hcaptcha', site_key='k'))"
        assert (await resolved(on, body)).name == "solved hcaptcha"
        body = "return File('http://x', name=await ctx.password(wrong=True))"
        assert (await resolved(on, body)).name == f"{LINK} True"
        endless = "while True: await ctx.password(wrong=True)"
        assert isinstance(await refusal(on, endless), Temporary)


async def test_unanswered_question_is_temporary_error(tmp_path: Path) -> None:
    async with bench(tmp_path) as on:
        error = await refusal(on, "await ctx.captcha('image', image=b'x')")
    assert isinstance(error, Temporary)


async def test_huge_page_is_rejected(tmp_path: Path) -> None:
    async def huge(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/html"})
        await response.prepare(request)
        while True:
            await response.write(b"x" * 1_000_000)

    async with bench(tmp_path) as on, imitation({"GET /huge": huge}) as base:
        error = await refusal(on, "await ctx.http.get(self.settings['base'] + '/huge')", base)
    assert error.problem and error.problem.code == "too_large"


async def test_secrets_are_removed_from_errors_and_logs(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    account = Account(7, "ada", "s3cr3t-of-ada")
    caplog.set_level("DEBUG")
    async with bench(tmp_path) as on:
        for body in (
            "raise ValueError(ctx.account.secret)",
            "raise Fatal(Text(de=ctx.account.secret, en=ctx.account.secret))",
            "ctx.log('login ' + ctx.account.secret)\nraise Fatal",
            "ctx.log(repr(ctx.account))\nreturn File('http://x', size=ctx.account.secret)",
        ):
            error = await refusal(on, body, account=account)
            assert "s3cr3t" not in str(error.problem)
    assert "s3cr3t" not in caplog.text
    assert "login ***" in caplog.text
