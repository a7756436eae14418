"""The log of a model run, of an alert and of an account."""

import logging
from pathlib import Path

import pytest

from tests.log_lines import assert_in_order, assert_no_secrets, lines
from tests.wind.account_setup import PASSWORD, my_id, sign_up_with_password, site
from tests.wind.alert_harness import START, add_user, alert_change, alert_harness_at, windy
from tests.wind.conftest import Station
from tests.wind.upstream import RUN, Provider, publish, short

pytestmark = pytest.mark.anyio


async def test_log_follows_model_run_until_it_is_published(
    station: Station, served: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "quartet")
    model = short("icon-eu", (0, 1))
    publish(served.folder, model)
    await station.ingest_of(model).ingest_run(model, RUN)
    name = f"^icon-eu: run {RUN}"
    assert_in_order(lines(caplog, "wind", logging.INFO), f"{name} published: 2 of 2 steps$")
    assert_in_order(
        lines(caplog, "wind", logging.DEBUG),
        f"{name} is being fetched$",
        f"{name} found: 2 steps expected$",
        f"{name} steps [0-9-]+ fetched: [0-9]+ pieces$",
        f"{name} steps [0-9-]+ stored$",
        f"{name} stored, it replaces the served one$",
    )


async def test_log_names_user_of_sent_alert_without_address(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "quartet")
    async with alert_harness_at(tmp_path, windy((11, 16))) as harness:
        user = await add_user(harness)
        spot = await harness.spot(user)
        await harness.set(spot, alert_change())
        harness.publish(START)
        await harness.tick()
        [mail] = harness.mail.received
    found = lines(caplog, "wind", logging.INFO)
    assert_in_order(found, "^evaluated run of icon-eu: 1 alerts, 1 new windows")
    for channel in ("push", "email"):
        assert_in_order(
            found, f"^alert message [0-9-]+ with 1 windows to user {user} by {channel}: sent$"
        )
    assert_in_order(
        lines(caplog, "wind", logging.DEBUG), "^(push|email): 1 windows due, 1 messages claimed$"
    )
    token = mail.more["unsubscribe"].partition("token=")[2]
    assert_no_secrets(caplog, "ada@example.org", token)


async def test_log_names_created_and_deleted_accounts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "quartet")
    async with site(tmp_path) as client:
        await sign_up_with_password(client, "ada@example.org")
        user = await my_id(client)
        answer = await client.delete("/api/me")
        assert answer.status_code == 204, answer.text
    assert_in_order(
        lines(caplog, "wind", logging.INFO),
        f"^account {user} created: user$",
        f"^account {user} deleted$",
    )
    assert_no_secrets(caplog, "ada@example.org", PASSWORD)
