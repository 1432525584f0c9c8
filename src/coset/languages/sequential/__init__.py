"""Sequential form: guarded commands over finite variables, as text."""
