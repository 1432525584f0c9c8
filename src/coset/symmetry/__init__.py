"""The symmetry of a model: sorts, graphs, groups, their action on states, and why there is not more of it."""
