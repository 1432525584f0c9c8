"""Emission: the concurrent model as C.  One file per concern; `program` puts them together."""
