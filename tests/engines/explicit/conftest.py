"""The tests of this folder are about optimised programs, unless they say otherwise: small models would be searched by the quick
tier only, which test_quick.py is about."""

import pytest


@pytest.fixture(autouse=True)
def optimised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSET_QUICK", "off")
