"""What breaks the symmetry of a model, with the lines of its text."""
