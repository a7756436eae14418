"""Concurrent first use of a struct by several threads."""

import subprocess
import sys

ROUNDS = 30
# Runs in a child process: without `prepare_decoders` it crashes with a segmentation fault, usually
# in the first round.
READ_TOGETHER = f"""
import sys, threading
from typing import Annotated, Literal
import msgspec
from quartet.kernel.struct_decoders import prepare_decoders

sys.setswitchinterval(1e-6)
for _ in range({ROUNDS}):
    positive = Annotated[int, msgspec.Meta(ge=0)]
    inner = msgspec.defstruct("Inner", [(f"field{{n}}", positive) for n in range(30)])
    kinds = (list[inner], dict[str, Literal["a", "b"]])
    outer = msgspec.defstruct("Outer", [(f"field{{n}}", kinds[n % 2]) for n in range(30)])
    row = {{f"field{{n}}": n for n in range(30)}}
    found = {{f"field{{n}}": ([row], {{"x": "a"}})[n % 2] for n in range(30)}}
    prepare_decoders()
    gate = threading.Barrier(4)

    def read():
        gate.wait()
        msgspec.convert(found, outer)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_concurrent_first_decoding_does_not_crash() -> None:
    subprocess.run([sys.executable, "-c", READ_TOGETHER], check=True, timeout=60)
