"""Symmetry by constraints: process and data symmetries of a sequential model, as permutations of literals."""

from coset.symmetry.methods.constraints.detect import ConstraintSymmetry, detect_constraints
from coset.symmetry.methods.constraints.problem import TooLarge

__all__ = ["ConstraintSymmetry", "TooLarge", "detect_constraints"]
