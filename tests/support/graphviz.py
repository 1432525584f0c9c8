"""Tests that need Graphviz."""

from __future__ import annotations

import shutil

import pytest

needs_graphviz = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
