"""What all tests share.

Most tests compile a model that takes longer to compile than to explore, so they do without optimisation; whoever wants to
test what users run sets COSET_CFLAGS to something else, as `make check-all` does.  All of them together need more of a
cache than a user does.

No test reads a clock: a busy machine must give the same answers, so Hypothesis has no deadline either, and accepts
examples that take long to make.  A shell starts background jobs with SIGINT ignored, and `nohup` does so with SIGHUP;
child processes inherit that, and tests that send these signals need the default.

The collected tests are many objects that live until the end, so garbage collection leaves them out.
"""

import gc
import os
import signal
import threading

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.support")
settings.register_profile("coset", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("coset")
if threading.current_thread() is threading.main_thread():
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)

os.environ.setdefault("COSET_CFLAGS", "-O0")
os.environ.setdefault("COSET_CACHE_SIZE", "2G")
gc.set_threshold(100_000, 20, 100)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the fuzz tests first: copies of this process inherit its memory, which grows with the tests."""
    items.sort(key=lambda item: item.path.name != "test_fuzz.py")


def pytest_collection_finish() -> None:
    gc.freeze()
