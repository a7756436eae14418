"""AES-256-CBC for writing encrypted RAR files in tests; slow, not for real secrets."""


def _double(value: int) -> int:
    return (value << 1) ^ (0x11B if value & 0x80 else 0)


def _multiply(one: int, other: int) -> int:
    product = 0
    while other:
        product ^= one if other & 1 else 0
        one, other = _double(one), other >> 1
    return product


def _substitution() -> bytes:
    """Return the S-box: the inverse of each byte, combined with its rotations."""
    box = bytearray(256)
    for value in range(256):
        inverse = next((other for other in range(256) if _multiply(value, other) == 1), 0)
        mixed = inverse
        for turn in range(1, 5):
            mixed ^= (inverse << turn | inverse >> (8 - turn)) & 0xFF
        box[value] = mixed ^ 0x63
    return bytes(box)


_BOX = _substitution()
_TWICE = bytes(_double(value) for value in range(256))
_SHIFTED = [(column * 4 + row * 5) % 16 for column in range(4) for row in range(4)]


def _round_keys(key: bytes) -> list[bytes]:
    words = [key[at : at + 4] for at in range(0, 32, 4)]
    constant = 1
    while len(words) < 60:
        word = words[-1]
        if len(words) % 8 == 0:
            word = word[1:].translate(_BOX) + word[:1].translate(_BOX)
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = _double(constant)
        elif len(words) % 8 == 4:
            word = word.translate(_BOX)
        words.append(_xor(words[-8], word))
    return [b"".join(words[at : at + 4]) for at in range(0, 60, 4)]


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(left ^ right for left, right in zip(one, other, strict=True))


def _mix(column: bytes) -> bytes:
    everything = column[0] ^ column[1] ^ column[2] ^ column[3]
    return bytes(
        column[at] ^ everything ^ _TWICE[column[at] ^ column[(at + 1) % 4]] for at in range(4)
    )


def _encrypt_block(block: bytes, keys: list[bytes]) -> bytes:
    state = _xor(block, keys[0])
    for key in keys[1:]:
        state = state.translate(_BOX)
        state = bytes(state[at] for at in _SHIFTED)
        if key is not keys[-1]:
            state = b"".join(_mix(state[at : at + 4]) for at in range(0, 16, 4))
        state = _xor(state, key)
    return state


def encrypt(data: bytes, key: bytes, start: bytes) -> bytes:
    """Encrypt with AES-256-CBC; the last block is padded with zeros."""
    keys = _round_keys(key)
    data += bytes(-len(data) % 16)
    blocks, last = [], start
    for at in range(0, len(data), 16):
        last = _encrypt_block(_xor(data[at : at + 16], last), keys)
        blocks.append(last)
    return b"".join(blocks)
