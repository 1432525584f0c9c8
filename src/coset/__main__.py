"""The command `coset`, which is also `python -m coset`.

Signal handlers are installed before anything else is imported, so that an interruption during start-up or exit gives the same
exit code as one during the command, and no traceback.
"""

from __future__ import annotations

import gc
import os
import signal
from typing import NoReturn


def main() -> NoReturn:
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name)
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda received, frame: os._exit(128 + received))
    # A command makes many small objects and hardly any cycles: to look for these every 700 objects takes a tenth of its time.
    gc.set_threshold(50_000, 20, 50)
    from coset.cli import main as run

    code = run()
    # Not `sys.exit`: if a signal arrived while Python was executing generated code (as for a dataclass), Python ends
    # itself by SIGINT, whatever the exit code.  Everything has been flushed, and nothing is registered to run at exit.
    os._exit(code)


if __name__ == "__main__":
    main()
