"""The reference engine: the interpreter with a search, in plain Python.  The other engines are tested against it."""
