"""Messages and signatures that agents in any language must reproduce."""

import hashlib
import struct
import unicodedata

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from quartet.sync.protocol import (
    Applied,
    BadMessageError,
    Challenge,
    FolderStatus,
    Hello,
    Status,
    decode_from_agent,
    decode_from_server,
    decode_hello,
    dialled_address,
    encode,
    fingerprint,
    hello_payload,
    host_of,
    is_engine_id,
    sign,
    usable_key,
    verify,
)
from quartet.sync.protocol.engine_ids import LETTERS
from quartet.sync.protocol.limits import AGENT_MESSAGE_BYTES, HELLO_BYTES
from quartet.sync.protocol.signing import PRIME, SMALL_ORDER_Y

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = KEY.public_key().public_bytes_raw()
ENGINE = "-".join(["ABCDEF2"] * 8)
CHALLENGE = Challenge(bytes(range(32)), "0123456789abcdef", 1, 1_700_000_000)

GOLDEN_PLAIN = (
    "c471552fb176528cbb18f5626182e1bd2f88640aeef6f62e8a2223c8f1a79b6c",
    "18b67ec4a073d69b5edc6515a5e4eb7aabc53c84ff1a86c4dfbe56029ebf2f9f"
    "629632ff5973b221ab00061ee57f3a6176745ff4cb5921c3e762f6795706150f",
)
GOLDEN_CODE = (
    "3afd3140184698239f8bd7c3508f278ed44746e2eae7742942c556e577a4ba93",
    "555ea06c010c41b68d32777ff158286526d20dd397d184c614ebcf5b60c6c4ee"
    "a15c0b505527c51f182f7058d7ec8f67aa5c3d63e5cff254387685d656b48700",
)


def hello(**fields: object) -> Hello:
    values = {
        "public_key": PUBLIC,
        "address": "sync.example.org:8090",
        "host_name": "laptop",
        "os": "linux",
        "agent_version": "1.0.0",
        "engine_version": "v1.19.2",
        "engine_id": ENGINE,
        "signature": b"",
        **fields,
    }
    return Hello(**values)  # type: ignore[arg-type]


def signed(given: Hello) -> Hello:
    return msgspec.structs.replace(given, signature=sign(KEY, CHALLENGE, given))


def test_golden_vector_without_code() -> None:
    payload = hello_payload(CHALLENGE, hello())
    assert payload.startswith(b"quartet-sync-hello\x00\x00\x00\x01\x01\x00\x00\x00\x100123")
    assert hashlib.sha256(payload).hexdigest() == GOLDEN_PLAIN[0]
    assert sign(KEY, CHALLENGE, hello()).hex() == GOLDEN_PLAIN[1]


def test_golden_vector_with_code_and_decomposed_name() -> None:
    composed = hello(code="ABCD-EFGH-JKLM", host_name="Büro")
    decomposed = hello(code="ABCD-EFGH-JKLM", host_name="Bu\u0308ro")
    for each in (composed, decomposed):
        payload = hello_payload(CHALLENGE, each)
        assert hashlib.sha256(payload).hexdigest() == GOLDEN_CODE[0]
        assert sign(KEY, CHALLENGE, each).hex() == GOLDEN_CODE[1]


def test_payload_is_presence_length_and_value_in_fixed_order() -> None:
    def field(value: bytes | None) -> bytes:
        return b"\0" if value is None else b"\1" + struct.pack(">I", len(value)) + value

    values = (
        CHALLENGE.server.encode(),
        CHALLENGE.nonce,
        b"sync.example.org:8090",
        PUBLIC,
        None,
        b"laptop",
        b"linux",
        b"1.0.0",
        b"v1.19.2",
        ENGINE.encode(),
    )
    expected = b"quartet-sync-hello" + struct.pack(">I", 1) + b"".join(map(field, values))
    assert hello_payload(CHALLENGE, hello()) == expected


def test_missing_and_empty_code_differ() -> None:
    assert hello_payload(CHALLENGE, hello()) != hello_payload(CHALLENGE, hello(code=""))


def test_fingerprint_is_eight_bytes_of_hash_in_four_groups() -> None:
    digits = hashlib.sha256(PUBLIC).hexdigest()
    expected = f"{digits[:4]}-{digits[4:8]}-{digits[8:12]}-{digits[12:16]}"
    assert fingerprint(PUBLIC) == expected == "5647-5aa7-5463-474c"


@given(
    st.sampled_from(["address", "host_name", "agent_version", "engine_version", "code"]),
    st.text(max_size=20),
)
def test_signature_covers_every_field(name: str, value: str) -> None:
    try:
        value.encode()
    except UnicodeError:
        return
    given = signed(hello(code="x"))
    changed = msgspec.structs.replace(given, **{name: value})
    same = hello_payload(CHALLENGE, changed) == hello_payload(CHALLENGE, given)
    assert verify(CHALLENGE, given)
    assert verify(CHALLENGE, changed) == same


@given(st.text(max_size=8), st.text(max_size=8), st.text(max_size=8), st.text(max_size=8))
def test_text_cannot_shift_between_fields(a: str, b: str, c: str, d: str) -> None:
    first = hello(host_name=a, agent_version=b)
    second = hello(host_name=c, agent_version=d)
    try:
        payloads = [hello_payload(CHALLENGE, each) for each in (first, second)]
    except UnicodeError:
        return
    folded = [unicodedata.normalize("NFC", text) for text in (a, b, c, d)]
    assert (payloads[0] == payloads[1]) == (folded[:2] == folded[2:])


def test_signature_depends_on_nonce_server_and_version() -> None:
    given = signed(hello())
    for changed in ({"nonce": bytes(32)}, {"server": "other"}, {"protocol": 2}):
        assert not verify(msgspec.structs.replace(CHALLENGE, **changed), given)


def test_weak_keys_are_rejected() -> None:
    small = [y.to_bytes(32, "little") for y in SMALL_ORDER_Y]
    twins = [bytes([*key[:31], key[31] | 0x80]) for key in small]
    beyond = [(PRIME + 1).to_bytes(32, "little"), b"\xff" * 32]
    for key in [*small, *twins, *beyond, b"", PUBLIC[:31], PUBLIC + b"\0"]:
        assert not usable_key(key)
        assert not verify(CHALLENGE, hello(public_key=key, signature=bytes(64)))
    assert usable_key(PUBLIC)


@given(st.binary(max_size=70))
def test_random_signatures_are_rejected(signature: bytes) -> None:
    assert not verify(CHALLENGE, hello(signature=signature))


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_random_input_is_rejected(raw: bytes | str) -> None:
    for decode in (decode_hello, decode_from_agent, decode_from_server):
        with pytest.raises(BadMessageError):
            decode(raw)


STATUS = '{"type":"status","folders":{"abc":{"state":"idle","bytes":%s}}}'


@pytest.mark.parametrize("number", ["-1", "1.5", "NaN", "Infinity", "9007199254740993", '"7"'])
def test_counts_must_be_safe_integers(number: str) -> None:
    with pytest.raises(BadMessageError):
        decode_from_agent(STATUS % number)
    assert decode_from_agent(STATUS % "7") == Status({"abc": FolderStatus("idle", bytes=7)})


def test_malformed_messages_are_rejected() -> None:
    good = encode(signed(hello()))
    assert decode_hello(good) == signed(hello())
    for bad in (
        good.replace("laptop", "x" * 10_000_000),
        good.replace("laptop", "x" * 256),
        good.replace("laptop", "\\ud800"),
        good.replace('"laptop"', "7"),
        good.replace("linux", "plan9"),
        good.replace(ENGINE, "short"),
        "[" * 5000,
        '{"type":"hello","other":' + "[" * 5000,
        '{"type":"hello"}',
        '{"type":"applied","revision":1e400}',
    ):
        with pytest.raises(BadMessageError):
            decode_hello(bad)


def test_last_of_duplicate_json_keys_is_verified() -> None:
    good = encode(signed(hello()))
    twice = decode_hello(good.replace('"hostName"', '"hostName":"other","hostName"'))
    assert verify(CHALLENGE, twice)
    other = decode_hello(good[:-1] + ',"hostName":"other"}')
    assert not verify(CHALLENGE, other)


def test_message_length_is_limited() -> None:
    with pytest.raises(BadMessageError):
        decode_hello(" " * HELLO_BYTES + encode(signed(hello())))
    with pytest.raises(BadMessageError):
        decode_from_agent(" " * AGENT_MESSAGE_BYTES + encode(Applied(1)))


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://Sync.Example.org", "sync.example.org"),
        ("https://sync.example.org:443/base", "sync.example.org"),
        ("http://192.168.1.5:8090", "192.168.1.5:8090"),
        ("http://[fe80::1]:8090/", "[fe80::1]:8090"),
        ("//localhost:80", "localhost"),
        ("//localhost:99999", ""),
        ("//[::1", ""),
    ],
)
def test_address_has_canonical_form(url: str, address: str) -> None:
    assert dialled_address(url) == address


# Generated by Syncthing.
REAL_ID = "APHCNGU-PEPYAW4-NRP6NRR-GQH26WM-CXUP7LA-LC77KUK-MPC7MO4-RWC5EAP"


def test_engine_id_check_digits() -> None:
    assert is_engine_id(REAL_ID)
    for wrong in (
        REAL_ID.lower(),
        REAL_ID.replace("-", ""),
        REAL_ID[:-1],
        REAL_ID + "A",
        REAL_ID.replace("APH", "PAH"),
        "1" + REAL_ID[1:],
        "",
    ):
        assert not is_engine_id(wrong), wrong


@given(st.integers(0, 55), st.sampled_from(LETTERS))
def test_changed_letter_invalidates_engine_id(place: int, letter: str) -> None:
    place += place // 7
    changed = REAL_ID[:place] + letter + REAL_ID[place + 1 :]
    assert is_engine_id(changed) == (changed == REAL_ID)


def test_host_of_address() -> None:
    addresses = ("sync.example.org", "10.0.0.5:8090", "[fe80::1]", "[fe80::1]:80", "x:99999", "[")
    expected = ["sync.example.org", "10.0.0.5", "[fe80::1]", "[fe80::1]", "x", ""]
    assert [host_of(address) for address in addresses] == expected
