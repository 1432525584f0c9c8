"""What all tests share.

Most tests compile a model that takes longer to compile than to explore, so they do without optimisation; whoever wants to
test what users run sets COSET_CFLAGS to something else, as `make check-all` does.
"""

import os

os.environ.setdefault("COSET_CFLAGS", "-O0")
