"""Murphi: guarded rules over shared variables, as CMurphi 5.5 and Rumur read it."""
