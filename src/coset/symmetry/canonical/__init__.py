"""Representatives of orbits: how an engine computes them, and the definition that it is tested against."""
