"""What all tests share.

Most tests compile a model that takes longer to compile than to explore, so they do without optimisation; whoever wants to
test what users run sets COSET_CFLAGS to something else, as `make check-all` does.  All of them together need more of a
cache than a user does.
"""

import os

os.environ.setdefault("COSET_CFLAGS", "-O0")
os.environ.setdefault("COSET_CACHE_SIZE", "2G")
