"""Properties: formulas of temporal logic, their syntax and (later) their automata."""
