"""Properties: formulas of temporal logic, their syntax, their automata, and their truth on a graph."""
