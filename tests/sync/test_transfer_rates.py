"""The rates of the hub by device, from the totals that its engine counts."""

from typing import Any

from quartet.sync.engine.types import PeerConnection
from quartet.sync.hub.transfer_rates import TransferRates


class KnownDevices:
    device_id_by_engine_id = {"PHONE": 1, "LAPTOP": 2}


def connection(received: int, sent: int) -> PeerConnection:
    return PeerConnection(connected=True, in_bytes_total=received, out_bytes_total=sent)


def rates() -> TransferRates:
    hub: Any = object()
    config: Any = KnownDevices
    return TransferRates(hub, config)


def test_rates_are_the_bytes_per_second_of_each_device() -> None:
    found = rates()
    found.update({"PHONE": connection(1000, 0), "LAPTOP": connection(0, 500)}, 10)
    assert found.received() == {"": 0}
    found.update({"PHONE": connection(3000, 0), "LAPTOP": connection(0, 900)}, 12)
    assert found.received() == {"1": 1000, "2": 0, "": 1000}
    assert found.sent() == {"1": 0, "2": 200, "": 200}


def test_rates_of_a_device_that_disconnects_are_zero() -> None:
    found = rates()
    found.update({"PHONE": connection(1000, 0)}, 10)
    found.update({"PHONE": connection(3000, 0)}, 12)
    found.update({}, 14)
    assert found.received() == {"1": 0, "": 0}


def test_rates_of_a_new_connection_are_not_negative() -> None:
    found = rates()
    found.update({"PHONE": connection(1000, 0)}, 10)
    found.update({"PHONE": connection(10, 0)}, 12)
    assert found.received() == {"1": 0, "": 0}


def test_rates_of_unknown_devices_are_left_out() -> None:
    found = rates()
    found.update({"OTHER": connection(0, 0)}, 10)
    found.update({"OTHER": connection(1000, 0)}, 12)
    assert found.received() == {"": 0}
