"""Where things are: the repository, its models, its pages, and the cases of the tests."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "models"
DOCS = ROOT / "docs"
CASES = ROOT / "tests" / "cases"
