"""`python -m coset.cli`: the same as `coset`, if the script is not on the path."""

from __future__ import annotations

from coset.__main__ import main

main()
