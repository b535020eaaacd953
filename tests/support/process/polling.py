"""Waiting for something with a bound."""
import time
from typing import Callable, TypeVar, Union

T = TypeVar("T")


def eventually(probe: Callable[[], T], timeout: float, what: Union[str, Callable[[], str]],
               interval: float = 0.1) -> T:
    """Asks `probe` until its answer is true; AssertionError after `timeout` seconds.

    `what`, or its answer at that time, completes the sentence "waited N s for ...".
    """
    deadline = time.monotonic() + timeout
    while True:
        answer = probe()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout:g} s for {said(what)}; last answer: {answer!r}")
        time.sleep(interval)


def said(what: Union[str, Callable[[], str]]) -> str:
    return what if isinstance(what, str) else what()


def stays(probe: Callable[[], bool], seconds: float, what: str, interval: float = 0.2) -> None:
    """Asserts that `probe` answers true all the time for `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert probe(), f"no longer true: {what}"
        time.sleep(interval)


def next_second() -> None:
    """Creation times have whole seconds: who comes first must be seen in them."""
    time.sleep(1.02 - time.time() % 1)
