"""`coset doctor`: what is installed and usable."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from coset.cli.errors import ENVIRONMENT


def run(options: argparse.Namespace) -> int:
    from dataclasses import asdict

    from coset.cli.installation import look, megabytes

    cleared = clear_cache() if options.clear_cache else None
    if cleared is not None and not options.json:
        print(f"removed {cleared['files']} files, {megabytes(cleared['bytes'])}, from {cleared['path']}")
        return 0
    found = [asdict(finding) for finding in look()]
    usable = all(finding["usable"] for finding in found if finding["required"])
    if options.json:
        from coset.formats import json_output

        print(json_output.text(json_output.doctor(usable, found, cleared)))
    else:
        from coset.views import terminal

        print(terminal.findings(found, usable, terminal.style(sys.stdout)))
    return 0 if usable else ENVIRONMENT


def clear_cache() -> dict[str, Any]:
    """Remove all compiled models; returns how many files and bytes were removed, and the folder."""
    from coset.engines.explicit import cache

    files, freed = cache.clear()
    return {"files": files, "bytes": freed, "path": str(cache.cache_directory().absolute())}
