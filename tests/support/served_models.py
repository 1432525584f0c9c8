"""Models for the tests of the web page."""

from __future__ import annotations

HOLDS = "/* Two who take turns. */\nbool x; active [2] proctype P() { do :: x = !x od }  ltl often { [] <> x }\n"
ENDLESS = "int a, b, c; active [3] proctype P() { do :: a++ :: b++ :: c++ od }\n"
