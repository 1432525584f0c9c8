"""Names that a terminal or a document would obey."""

from __future__ import annotations

NAME = "-x \x1b]0;t\x07\n$(touch pwned)`touch pwned`;<script>alert(1)]]>&\"'\\%s\u202e\x9b\r.pml"
