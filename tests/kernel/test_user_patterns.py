"""Patterns written by users cannot exhaust the machine."""

import re
import resource
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from quartet.kernel.user_patterns import PatternError, UserPatterns

MEGABYTE = 1 << 20


@pytest.fixture
def patterns() -> Iterator[UserPatterns]:
    patterns = UserPatterns()
    yield patterns
    patterns.close()


def nested(depth: int) -> str:
    text = "a"
    for _ in range(depth):
        text = f"({text}{{1,50}})"
    return text


def test_substitute_expands_groups_in_every_text(patterns: UserPatterns) -> None:
    texts = ["Film 1999", "none", "Äther 2001"]
    done = patterns.substitute(r"(\w+) (?<year>\d+)", "${year} $1 $$", texts, case_sensitive=True)
    assert done == ["1999 Film $", "none", "2001 Äther $"]


def test_substitute_handles_more_texts_than_one_request_holds(patterns: UserPatterns) -> None:
    texts = [f"file {number}" for number in range(2500)]
    done = patterns.substitute(r"FILE (\d+)", "$1", texts, case_sensitive=False)
    assert done == [str(number) for number in range(2500)]


def test_substitute_keeps_bytes_that_are_not_valid_text(patterns: UserPatterns) -> None:
    assert patterns.substitute("a", "b", ["\udcff a"], case_sensitive=True) == ["\udcff b"]


def test_search_returns_the_span_of_the_first_match(patterns: UserPatterns) -> None:
    assert patterns.search(r"\d{4}", ["a 1999 b", "none"], case_sensitive=True) == [(2, 6), None]


@pytest.mark.parametrize(
    ("pattern", "replacement", "kind"),
    [
        ("(", "", "invalid"),
        ("(a)", "$2", "group_unknown"),
        ("(a|aa)+$", "", "too_slow"),
        ("a" * 1001, "", "too_large"),
    ],
)
def test_unusable_pattern_is_refused_with_its_kind(
    patterns: UserPatterns, pattern: str, replacement: str, kind: str
) -> None:
    with pytest.raises(PatternError) as refused:
        patterns.substitute(pattern, replacement, ["a" * 200 + "b"], case_sensitive=True)
    assert refused.value.kind == kind


@pytest.mark.parametrize("depth", [20, 60])
def test_exploding_pattern_is_refused_within_a_second_and_50_megabytes(
    patterns: UserPatterns, depth: int
) -> None:
    patterns.search("start the child", ["x"], case_sensitive=True)
    child = patterns._child
    assert child is not None
    before = peak_memory(child)
    with PeakMemory(child) as peak, pytest.raises(PatternError) as refused:
        began = children_cpu_seconds()
        patterns.search(nested(depth), ["aaaa"], case_sensitive=True)
    assert refused.value.kind in ("too_large", "too_slow")
    assert peak.bytes - before < 50 * MEGABYTE
    # The child is gone, and its memory with it.
    assert child.poll() is not None
    # CPU time including the start of the child, because other tests may keep all cores busy.
    assert children_cpu_seconds() - began < 1


def test_pattern_that_is_slow_on_each_of_many_texts_is_refused_within_a_second(
    patterns: UserPatterns,
) -> None:
    # Each text takes a few milliseconds, far below the limit of one text.
    began = children_cpu_seconds()
    with pytest.raises(PatternError) as refused:
        patterns.search("(a+)(a+)(a+)(a+)b", ["a" * 120] * 1000, case_sensitive=True)
    assert refused.value.kind == "too_slow"
    assert children_cpu_seconds() - began < 1


def children_cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_patterns_work_again_after_the_child_has_died(patterns: UserPatterns) -> None:
    with pytest.raises(PatternError):
        patterns.search(nested(60), ["aaaa"], case_sensitive=True)
    assert patterns.search("b", ["abc"], case_sensitive=True) == [(1, 2)]


class PeakMemory:
    """Samples the peak memory of a process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.bytes = 0
        self._process = process
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample)

    def __enter__(self) -> "PeakMemory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._done.is_set():
            self.bytes = max(self.bytes, peak_memory(self._process))
            self._done.wait(0.005)


def peak_memory(process: subprocess.Popen[bytes]) -> int:
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0
